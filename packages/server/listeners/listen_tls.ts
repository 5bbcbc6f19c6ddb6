import type { Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { App } from "../app.ts";
import {
  answerParseErrors,
  closeServer,
  HTTP_SERVER_OPTIONS,
  noteConnections,
  type Unreadable,
} from "./http_server.ts";
import { requestListener } from "./request_listener.ts";

/** Where and as whom the server ends TLS itself. */
export interface TlsListen {
  readonly kind: "tls";
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly certificatePem: string;
  readonly keyPem: string;
  /** The authorities that clients' certificates are checked against. */
  readonly clientCaPem: string;
}

export interface Listener {
  /** The port that is listened on, if there is one. */
  readonly port: number | undefined;
  close(patienceMs: number): Promise<void>;
}

/** Listens with the server's own mutual TLS (Spec §5 Mutual TLS): the sandbox's way. */
export function listenTls(
  listen: TlsListen,
  appFor: (port: number) => App,
  unreadable: Unreadable,
): Promise<Listener> {
  return new Promise((resolve, reject) => {
    let handle: ReturnType<typeof requestListener> | undefined;
    const server = createServer({
      ...HTTP_SERVER_OPTIONS,
      cert: listen.certificatePem,
      key: listen.keyPem,
      ca: listen.clientCaPem,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      // Who opens connections and says nothing loses them; Node's own patience is two minutes.
      handshakeTimeout: 10_000,
      ALPNProtocols: ["http/1.1"],
    }, (incoming, outgoing) => handle?.(incoming, outgoing));
    answerParseErrors(server as unknown as Server, unreadable);
    noteConnections(server as unknown as Server, "secureConnection");
    server.once("error", reject);
    server.listen(listen.port, listen.host, () => {
      server.off("error", reject);
      const { port } = server.address() as AddressInfo;
      handle = requestListener(appFor(port), unreadable);
      resolve({
        port,
        close: (patienceMs) => closeServer(server as unknown as Server, patienceMs),
      });
    });
  });
}
