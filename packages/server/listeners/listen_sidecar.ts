import { chmod, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { Address } from "@sabika/terms/settings";
import { listenOn } from "./address.ts";
import { answerReady } from "./answer_ready.ts";
import { closeServer, HTTP_SERVER_OPTIONS, type Listener, noteConnections } from "./http_server.ts";
import { type Application, requestListener } from "./request_listener.ts";
import { answerParseErrors, type Unreadable } from "./unreadable.ts";

/** An address only for the sidecar: a Unix socket, or a loopback port. */
export interface SidecarListen {
  readonly kind: "sidecar";
  readonly address: Address;
  /** One secret per line, one or two. */
  readonly edgeSecretFile: string;
}

/**
 * Listens for the sidecar. `GET /ready` on this listener is the sidecar's health check: it reports only
 * whether this instance takes requests, and asks for no secret. Throws `EADDRINUSE` if another listens.
 */
export async function listenSidecar(
  listen: SidecarListen,
  app: Application,
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
  const port = await listenOn(server, address);
  if ("path" in address) await chmod(address.path, 0o660);
  return { port, close: (patienceMs) => closeServer(server, patienceMs) };
}

/** Removes the socket of a process that died; throws when a process answers on it. */
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
