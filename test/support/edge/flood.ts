import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { atEnd } from "../../../tools/programs/at_end.ts";
import { endProcess, RUNTIME_ARGUMENTS } from "../../../tools/programs/own_process.ts";
import type { Edge } from "./edge.ts";

/**
 * What each connection of a flood does: nothing; a ClientHello and then nothing; a handshake
 * without a certificate; one with a partner's and then nothing; or headers that do not end.
 */
export type FloodKind = "silent" | "hello" | "stranger" | "idle" | "slow headers";

export interface FloodOrder {
  kind: FloodKind;
  port: number;
  connections: number;
  /** How many it has under way at once; the rest follows as these are through or refused. */
  atOnce: number;
  ca: string;
  certificate: string;
  key: string;
  /** Where it calls from; eight addresses when left out. */
  localAddress?: string | undefined;
  /** Opens each connection again as it is closed, until the process is ended. */
  cycles?: boolean;
}

/** What has become of an attacker's connections. */
export interface FloodReport {
  attempts: number;
  /** Those that TCP took. */
  connected: number;
  open: number;
  mostOpen: number;
  /** Answers by their status. */
  answers: Record<string, number>;
}

/** Starts `connections` of one kind as fast as they go; by default from eight addresses. */
export function startFlood(
  edge: Edge,
  kind: FloodKind,
  connections: number,
  { atOnce = 500, localAddress }: { atOnce?: number; localAddress?: string } = {},
) {
  const child = startAttacker({
    kind,
    port: edge.envoy.port,
    connections,
    atOnce,
    localAddress,
    ca: edge.authority.pem,
    certificate: edge.partner.certificate,
    key: edge.partner.key,
  });
  const heard = (event: string) =>
    new Promise<FloodReport>((resolve, reject) => {
      lines.on("line", (line) => {
        const message = JSON.parse(line) as { event: string; report: FloodReport };
        if (message.event === event) resolve(message.report);
      });
      void once(child, "close").then(() => reject(new Error(`the flood ended before "${event}"`)));
    });
  const lines = createInterface({ input: child.stdout });
  const flood = {
    /** Every connection was tried. */
    tried: heard("tried"),
    /** The sidecar has closed every one of them; the attacker closes none. */
    gone: heard("gone"),
  };
  flood.gone.catch(() => {});
  return flood;
}

/** Holds connections of one kind, from one address, and opens again what is closed. */
export function startCyclingFlood(order: Omit<FloodOrder, "cycles">) {
  const child = startAttacker({ ...order, cycles: true });
  let seen: Pick<FloodReport, "attempts" | "open"> = { attempts: 0, open: 0 };
  createInterface({ input: child.stdout }).on("line", (line) => seen = JSON.parse(line).report);
  return {
    /** How many were opened so far, and how many are open. */
    seen: () => seen,
    stop: () => endProcess(child, "SIGKILL"),
  };
}

function startAttacker(order: FloodOrder): ChildProcessByStdio<Writable, Readable, null> {
  const program = fileURLToPath(new URL("./flood_main.ts", import.meta.url));
  const child = spawn(process.execPath, [...RUNTIME_ARGUMENTS, program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.once("exit", atEnd(() => child.kill("SIGKILL")));
  child.stdin.end(JSON.stringify(order));
  return child;
}
