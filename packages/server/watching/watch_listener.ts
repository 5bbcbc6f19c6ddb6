import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rm } from "node:fs/promises";
import { type Address, answerReady } from "../listeners/listen_sidecar.ts";
import type { Metrics } from "./metrics.ts";

export interface WatchListener {
  readonly port: number | undefined;
  close(): Promise<void>;
}

/**
 * What those who run the service look at, apart from what partners see: `/metrics` for Prometheus,
 * `/live` (the process turns) and `/ready` (it takes requests) for the platform.
 */
export async function listenWatch(
  address: Address,
  metrics: Pick<Metrics, "text" | "contentType">,
  isReady: () => Promise<boolean>,
): Promise<WatchListener> {
  if ("path" in address) await rm(address.path, { force: true });
  const server = createServer((incoming, outgoing) => {
    const path = incoming.method === "GET" ? (incoming.url ?? "").split("?")[0] : "";
    if (path === "/live") answerReady(outgoing, true);
    else if (path === "/ready") void isReady().then((ready) => answerReady(outgoing, ready));
    else if (path === "/metrics") {
      metrics.text().then((text) => {
        outgoing.writeHead(200, { "content-type": metrics.contentType });
        outgoing.end(text);
      }, () => outgoing.writeHead(500).end());
    } else outgoing.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? (bound as AddressInfo).port : undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
