import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { App } from "../app.ts";
import {
  answerParseErrors,
  closeServer,
  HTTP_SERVER_OPTIONS,
  noteConnections,
  type Unreadable,
} from "./http_server.ts";
import type { Listener } from "./listen_tls.ts";
import { requestListener } from "./request_listener.ts";

/** The address that belongs to the sidecar alone: a Unix socket, or a loopback port. */
export interface SidecarListen {
  readonly kind: "sidecar";
  readonly address: Address;
  /** One secret a line, one or two. */
  readonly edgeSecretFile: string;
}

export type Address =
  | { readonly path: string }
  | { readonly host: string; readonly port: number };

/**
 * Listens for the sidecar. `GET /ready` on this listener is for its health check: it says only
 * whether this instance takes requests, and asks for no secret.
 */
export async function listenSidecar(
  listen: SidecarListen,
  app: App,
  unreadable: Unreadable,
  isReady: () => Promise<boolean>,
): Promise<Listener> {
  const { address } = listen;
  if ("path" in address) await removeStaleSocket(address.path);
  const handle = requestListener(app, unreadable);
  const server = createServer(HTTP_SERVER_OPTIONS, (incoming, outgoing) => {
    if (incoming.url === "/ready" && incoming.headers["x-sabika-edge"] === undefined) {
      void isReady().then((ready) => answerReady(outgoing, ready));
    } else handle(incoming, outgoing);
  });
  answerParseErrors(server, unreadable);
  noteConnections(server, "connection");
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve();
    });
  });
  if ("path" in address) await chmod(address.path, 0o660);
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? (bound as AddressInfo).port : undefined,
    close: (patienceMs) => closeServer(server, patienceMs),
  };
}

/** Answers a health check: 200 when the instance takes requests, else 503. */
export function answerReady(outgoing: ServerResponse<IncomingMessage>, isReady: boolean): void {
  outgoing.writeHead(isReady ? 200 : 503, {
    "content-type": "text/plain",
    "cache-control": "no-store",
  });
  outgoing.end(isReady ? "ready\n" : "not ready\n");
}

/** A socket that nobody answers on was left by a process that died; one that answers is in use. */
async function removeStaleSocket(path: string): Promise<void> {
  const answers = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
  if (answers) throw Object.assign(new Error(`${path} is in use`), { code: "EADDRINUSE" });
  await rm(path, { force: true });
}
