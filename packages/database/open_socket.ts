import net from "node:net";
import { setImmediate } from "node:timers";
import { lookup } from "@sabika/network";
import type { AnswerWatch } from "./answer_watch.ts";
import type { DatabaseServer, DatabaseTarget } from "./database_url.ts";
import { secureSocket } from "./secure_socket.ts";

/** Options of `openSocket`. */
export interface SocketOptions {
  watch?: AnswerWatch | undefined;
  /** With TLS, the time limit of connecting and of the handshake together; 10 s by default. */
  tlsTimeoutMs?: number;
}

/**
 * Opens a socket to the database for postgres.js, which may write to it while it still connects. With TLS
 * the promise resolves after the handshake, so that both kinds look the same to postgres.js. Unix sockets
 * have no TLS, as in libpq.
 *
 * postgres.js rejects waiting statements on `close` only when there was no error before; otherwise it
 * relies on `error`. A statement that is sent between the two events (a broken socket closes one turn of
 * the event loop after its error) would wait for ever. So here `close` never reports an error; statements
 * that `error` rejected are not rejected twice.
 */
export function openSocket(
  target: DatabaseServer & Pick<DatabaseTarget, "ssl" | "rootCertificateFile">,
  { watch, tlsTimeoutMs = 10_000 }: SocketOptions = {},
): net.Socket | Promise<net.Socket> {
  const { host, port, ssl } = target;
  if (host.startsWith("/")) return settle(net.connect({ path: `${host}/.s.PGSQL.${port}` }), watch);
  const socket = net.connect({ host, port, lookup });
  if (ssl === false) return settle(socket, watch);
  return secureSocket(socket, { ...target, ssl }, tlsTimeoutMs).then(
    (secure) => {
      if (!secure.destroyed) return settle(secure, watch);
      const closed = new Error("the connection to the database has closed");
      return brokenSocket(Object.assign(closed, { code: "DATABASE_TLS" }));
    },
    brokenSocket,
  );
}

/**
 * Returns a socket that fails as soon as it is used: postgres.js tries again after a socket that failed,
 * but not when it got none.
 */
export function brokenSocket(error: Error): net.Socket {
  const socket = settle(new net.Socket());
  socket.write = () => true;
  setImmediate(() => socket.destroy(error));
  return socket;
}

function settle(socket: net.Socket, watch?: AnswerWatch): net.Socket {
  const emit = socket.emit.bind(socket) as (
    event: string | symbol,
    ...values: unknown[]
  ) => boolean;
  socket.emit = (event: string | symbol, ...values: unknown[]) =>
    event === "close" ? emit("close", false) : emit(event, ...values);
  watch?.add(socket);
  return socket;
}
