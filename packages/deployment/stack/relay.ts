import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { askAdmin } from "@sabika/sidecar";

/** A part of a stack, with the socket and the path of its metrics. */
export interface WatchedPart {
  readonly job: string;
  readonly instance: string;
  readonly socketPath: string;
  readonly path: string;
}

/**
 * Lets Prometheus read parts that listen on Unix sockets, which it cannot reach: `/targets` lists the present
 * parts (its HTTP service discovery), and `/JOB/INSTANCE` answers with a part's metrics, or with 502 when
 * the part does not answer.
 */
export async function startRelay(parts: () => readonly WatchedPart[]) {
  const pathOf = ({ job, instance }: WatchedPart) => `/${job}/${instance}`;
  const server = createServer((incoming, outgoing) => {
    const { port } = server.address() as AddressInfo;
    if (incoming.url === "/targets") {
      const targets = parts().map((part) => ({
        targets: [`127.0.0.1:${port}`],
        labels: { job: part.job, instance: part.instance, __metrics_path__: pathOf(part) },
      }));
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(targets));
      return;
    }
    const part = parts().find((known) => pathOf(known) === incoming.url);
    if (part === undefined) return void outgoing.writeHead(404).end();
    askAdmin(part.socketPath, part.path).then(
      ({ status, text }) => outgoing.writeHead(status, { "content-type": "text/plain" }).end(text),
      () => outgoing.writeHead(502).end(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}
