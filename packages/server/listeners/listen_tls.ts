import type { Server } from "node:http";
import { createServer } from "node:https";
import { listenOn } from "./address.ts";
import { closeServer, HTTP_SERVER_OPTIONS, type Listener, noteConnections } from "./http_server.ts";
import { type Application, requestListener } from "./request_listener.ts";
import { answerParseErrors, isPlainHttp, type Unreadable } from "./unreadable.ts";

/** The address, and the key and certificates in PEM, with which the server terminates TLS itself. */
export interface TlsListen {
  readonly kind: "tls";
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly certificatePem: string;
  readonly keyPem: string;
  /** The authorities that clients' certificates are checked against. */
  readonly clientCaPem: string;
}

/** The suites of the sidecar: forward secrecy and authenticated encryption, no CBC. */
const CIPHERS = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** Listens with its own mutual TLS (Spec §5 Mutual TLS), as the sandbox does; `appFor` gets the port. */
export async function listenTls(
  listen: TlsListen,
  appFor: (port: number) => Application,
  unreadable: Unreadable,
): Promise<Listener> {
  const server = createServer({
    ...HTTP_SERVER_OPTIONS,
    cert: listen.certificatePem,
    key: listen.keyPem,
    ca: listen.clientCaPem,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    // Closes connections without a handshake; Node's own timeout is two minutes.
    handshakeTimeout: 10_000,
    ALPNProtocols: ["http/1.1"],
  }) as unknown as Server;
  answerParseErrors(server, unreadable);
  noteConnections(server, "secureConnection");
  const port = await listenOn(server, listen);
  // No request can arrive before this turn of the event loop ends.
  const handle = requestListener(appFor(port!), unreadable);
  server.on("request", (incoming, outgoing) => {
    if (isPlainHttp(incoming, outgoing, unreadable)) handle(incoming, outgoing);
  });
  return { port, close: (patienceMs) => closeServer(server, patienceMs) };
}
