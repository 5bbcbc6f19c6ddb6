import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { ControlAway } from "@sabika/service/partners";
import { type Address, VERSION } from "@sabika/terms/settings";
import { listenOn } from "./address.ts";
import type { FailedShare } from "../write_shares.ts";
import { answerReady } from "./answer_ready.ts";

/** The server of metrics and probes. */
export interface WatchListener {
  /** Undefined on a Unix socket. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

/** What `/ready` answers. */
export interface Readiness {
  readonly isReady: () => Promise<boolean>;
  readonly failingWrites: () => readonly FailedShare[];
  readonly controlAway: () => ControlAway | undefined;
}

/** The answer at `/metrics`. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Listens for the operators of the service, separately from partners: `/metrics` for Prometheus, `/live`
 * (the process responds) and `/ready` (it takes requests) for the platform, and `/health` with the
 * version, which the partners' `/health` leaves out. An old file of the socket is replaced.
 *
 * @throws {Error} of Node if it cannot listen, such as `EADDRINUSE`
 */
export async function listenWatch(
  address: Address,
  metrics: MetricsText,
  { isReady, failingWrites, controlAway }: Readiness,
): Promise<WatchListener> {
  if ("path" in address) await rm(address.path, { force: true });
  const judge = () => isReady().catch(() => false);
  const server = createServer((incoming, outgoing) => {
    const path = incoming.method === "GET" ? (incoming.url ?? "").split("?")[0] : "";
    if (path === "/live") answerReady(outgoing, true);
    else if (path === "/ready") {
      void judge().then((ready) => answerReady(outgoing, ready, failingWrites(), controlAway()));
    } else if (path === "/health") {
      void judge().then((ready) => {
        outgoing.writeHead(ready ? 200 : 503, { "content-type": "application/json" });
        const health = { status: ready ? "ok" : "unavailable", version: VERSION };
        outgoing.end(`${JSON.stringify(health)}\n`);
      });
    } else if (path === "/metrics") {
      metrics.text().then((text) => {
        outgoing.writeHead(200, { "content-type": metrics.contentType });
        outgoing.end(text);
      }, () => outgoing.writeHead(500).end());
    } else outgoing.writeHead(404).end();
  });
  const port = await listenOn(server, address);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
