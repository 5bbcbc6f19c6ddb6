import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atEnd } from "../../../tools/programs/at_end.ts";
import { endProcess, RUNTIME_ARGUMENTS } from "../../../tools/programs/own_process.ts";

/** What each connection of a flood sends: nothing, a ClientHello, or a handshake with a partner's certificate. */
export type FloodKind = "silent" | "hello" | "idle";

/** The task of an attacker; certificates and key are PEM text. */
export interface FloodOrder {
  kind: FloodKind;
  port: number;
  connections: number;
  /** The largest number of handshakes in progress at a time. */
  atOnce: number;
  ca: string;
  certificate: string;
  key: string;
  /** The source address. */
  localAddress: string;
}

/** How many connections an attacker has attempted. */
export interface FloodReport {
  attempts: number;
}

/** Holds connections of one kind open, and replaces those that are closed. */
export function startFlood(order: FloodOrder) {
  const program = fileURLToPath(new URL("./flood_main.ts", import.meta.url));
  const child = spawn(process.execPath, [...RUNTIME_ARGUMENTS, program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  child.stdin.end(JSON.stringify(order));
  let seen: FloodReport = { attempts: 0 };
  createInterface({ input: child.stdout }).on("line", (line) => seen = JSON.parse(line));
  return {
    /** What the attacker has done so far. */
    seen: () => seen,
    stop: () => endProcess(child, "SIGKILL"),
  };
}
