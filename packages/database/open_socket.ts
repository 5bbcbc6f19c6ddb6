import net from "node:net";
import { setImmediate } from "node:timers";
import { lookup } from "@sabika/network";
import type { AnswerWatch } from "./answer_watch.ts";
import type { DatabaseServer, DatabaseTarget } from "./database_url.ts";
import { secureSocket } from "./secure_socket.ts";

export interface SocketOptions {
  watch?: AnswerWatch | undefined;
  /** How long connecting and agreeing on TLS may take. */
  tlsTimeoutMs?: number;
}

/**
 * A socket to the database for postgres.js, which writes to it while it still connects. With TLS it
 * comes when TLS is agreed upon, so that to postgres.js both kinds are the same; on a Unix socket there
 * is no TLS (as libpq has it).
 *
 * postgres.js rejects what waits for an answer when a socket's `close` says that there was no error
 * before, and else trusts that `error` has done so. A statement that is sent between the two (a
 * broken Unix or TCP socket closes a turn of the event loop after its error) would wait for ever. So
 * here `close` never speaks of an error; what `error` rejected already is rejected once.
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
    (secure) => secure.destroyed ? brokenSocket(new Error("it was closed")) : settle(secure, watch),
    brokenSocket,
  );
}

/**
 * A socket that breaks as soon as it is used, whatever is written to it before: postgres.js tries again
 * after a socket that failed, but never after none.
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
