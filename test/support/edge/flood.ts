import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atEnd } from "../../../tools/programs/at_end.ts";
import type { Edge } from "./edge.ts";

/**
 * What each connection of a flood does: nothing; a ClientHello and then nothing; a handshake
 * without a certificate; one with a partner's and then nothing; or headers that do not end.
 */
export type FloodKind = "silent" | "hello" | "stranger" | "idle" | "slow headers";

/** The settings of an attacker's process. */
export interface FloodOrder {
  kind: FloodKind;
  port: number;
  connections: number;
  /** How many it has under way at once; the rest follows as these are through or refused. */
  atOnce: number;
  ca: string;
  certificate: string;
  key: string;
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

export interface Flood {
  /** Every connection was tried. */
  readonly tried: Promise<FloodReport>;
  /** The sidecar has closed every one of them; the attacker closes none. */
  readonly gone: Promise<FloodReport>;
}

/** Starts `count` connections of one kind, from eight addresses, as fast as they go. */
export function startFlood(
  edge: Edge,
  kind: FloodKind,
  connections: number,
  atOnce = 500,
): Flood {
  const program = fileURLToPath(new URL("./flood_main.ts", import.meta.url));
  const args = "Deno" in globalThis ? ["run", "-A", "--no-check"] : ["--import", "tsx"];
  const child = spawn(process.execPath, [...args, program], {
    stdio: ["pipe", "pipe", "inherit"],
    cwd: fileURLToPath(new URL("../../../", import.meta.url)),
  });
  const forget = atEnd(() => child.kill("SIGKILL"));
  child.once("exit", forget);
  const order: FloodOrder = {
    kind,
    port: edge.envoy.port,
    connections,
    atOnce,
    ca: edge.authority.pem,
    certificate: edge.partner.certificate,
    key: edge.partner.key,
  };
  child.stdin.end(JSON.stringify(order));
  const heard = (event: string) =>
    new Promise<FloodReport>((resolve, reject) => {
      lines.on("line", (line) => {
        const message = JSON.parse(line) as { event: string; report: FloodReport };
        if (message.event === event) resolve(message.report);
      });
      void once(child, "close").then(() => reject(new Error(`the flood ended before "${event}"`)));
    });
  const lines = createInterface({ input: child.stdout });
  const flood = { tried: heard("tried"), gone: heard("gone") };
  flood.gone.catch(() => {});
  return flood;
}
