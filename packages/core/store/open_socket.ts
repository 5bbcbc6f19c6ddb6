import net from "node:net";
import { lookup } from "../network/lookup.ts";
import type { AnswerWatch } from "./answer_watch.ts";

/**
 * A socket to the database for postgres.js, which writes to it while it still connects.
 *
 * postgres.js rejects what waits for an answer when a socket's `close` says that there was no error
 * before, and else trusts that `error` has done so. A statement that is sent between the two (a
 * broken Unix or TCP socket closes a turn of the event loop after its error) would wait for ever. So
 * here `close` never speaks of an error; what `error` rejected already is rejected once.
 */
export function openSocket(
  target: { host: string; port: number },
  watch?: AnswerWatch,
): net.Socket {
  const { host, port } = target;
  const socket = host.startsWith("/")
    ? net.connect({ path: `${host}/.s.PGSQL.${port}` })
    : net.connect({ host, port, lookup });
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...given: unknown[]) => boolean;
  socket.emit = (event: string | symbol, ...given: unknown[]) =>
    event === "close" ? emit("close", false) : emit(event, ...given);
  watch?.add(socket);
  return socket;
}
