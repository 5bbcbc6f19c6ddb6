import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atEnd } from "../../../tools/programs/at_end.ts";
import { endProcess, RUNTIME_ARGUMENTS } from "../../../tools/programs/own_process.ts";

/**
 * What each connection of a flood does: nothing; a ClientHello and then nothing; a handshake
 * without a certificate; one with a partner's and then nothing; or headers that do not end.
 */
export type FloodKind = "silent" | "hello" | "stranger" | "idle" | "slow headers";

export interface FloodOrder {
  kind: FloodKind;
  port: number;
  connections: number;
  /** How many handshakes are under way at once. */
  atOnce: number;
  ca: string;
  certificate: string;
  key: string;
  /** Where it calls from; eight addresses when left out. */
  localAddress?: string | undefined;
}

/** What has become of an attacker's connections. */
export interface FloodReport {
  attempts: number;
  open: number;
}

/** Holds connections of one kind, and opens again what is closed. */
export function startFlood(order: FloodOrder) {
  const program = fileURLToPath(new URL("./flood_main.ts", import.meta.url));
  const child = spawn(process.execPath, [...RUNTIME_ARGUMENTS, program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  child.stdin.end(JSON.stringify(order));
  let seen: FloodReport = { attempts: 0, open: 0 };
  createInterface({ input: child.stdout }).on("line", (line) => seen = JSON.parse(line));
  return {
    /** How many were opened so far, and how many are open. */
    seen: () => seen,
    stop: () => endProcess(child, "SIGKILL"),
  };
}
