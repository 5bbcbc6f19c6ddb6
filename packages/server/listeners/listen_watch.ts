import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type Address, VERSION } from "@sabika/terms/settings";
import { listenOn } from "./address.ts";
import { answerReady } from "./answer_ready.ts";

/** The server of metrics and probes. */
export interface WatchListener {
  readonly port: number | undefined;
  close(): Promise<void>;
}

/** The answer at `/metrics`. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Listens for the operators of the service, separately from partners: `/metrics` for Prometheus, `/live`
 * (the process responds) and `/ready` (it takes requests) for the platform, and `/health` with the
 * version, which partners do not see.
 */
export async function listenWatch(
  address: Address,
  metrics: MetricsText,
  isReady: () => Promise<boolean>,
): Promise<WatchListener> {
  if ("path" in address) await rm(address.path, { force: true });
  const server = createServer((incoming, outgoing) => {
    const path = incoming.method === "GET" ? (incoming.url ?? "").split("?")[0] : "";
    if (path === "/live") answerReady(outgoing, true);
    else if (path === "/ready") void isReady().then((ready) => answerReady(outgoing, ready));
    else if (path === "/health") {
      void isReady().then((ready) => {
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
