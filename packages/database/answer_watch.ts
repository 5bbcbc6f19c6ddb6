import { clearInterval, setInterval } from "node:timers";
import type { Socket } from "node:net";

/** Runs a function repeatedly until the returned function is called; does not keep the process alive. */
type Repeat = (run: () => void, everyMs: number) => () => void;

/** Closes connections on which an answer is overdue, with the error code `ETIMEDOUT`. */
export interface AnswerWatch {
  /** Watches a connection from its first byte on. */
  add(socket: Socket): void;
}

interface Watched {
  socket: Socket;
  /** How many statements were sent and not answered yet. */
  due: number;
  /** When data was received last, or an answer became due with none due before. */
  sinceMs: number;
}

const letter = (text: string) => text.charCodeAt(0);
const [SYNC, QUERY, FLUSH, READY] = [letter("S"), letter("Q"), letter("H"), letter("Z")];

/**
 * Creates the watch. A machine that loses power, or a pulled cable, ends no connection: without the watch,
 * a statement would wait a quarter of an hour until the kernel gives up (fault F27). When one connection
 * is silent for too long, others that have been silent as long are closed too, since they lead to the
 * same server. The watch counts messages of PostgreSQL's protocol, so with TLS it needs the decrypted socket.
 *
 * @param timeoutMs how long an answer may take; longer than any statement that is sent here
 * @param now milliseconds of a monotonic clock
 */
export function createAnswerWatch(
  timeoutMs: number,
  now: () => number = () => performance.now(),
  repeat: Repeat = repeatInBackground,
): AnswerWatch {
  const all = new Set<Watched>();
  let stopLooking: (() => void) | undefined;

  function look(): void {
    const nowMs = now();
    const overdue = [...all].filter((connection) =>
      connection.due > 0 && nowMs - connection.sinceMs > timeoutMs
    );
    if (overdue.length === 0) return;
    const silentSince = Math.max(...overdue.map((connection) => connection.sinceMs));
    for (const { socket, sinceMs } of [...all]) {
      if (sinceMs > silentSince) continue;
      socket.destroy(Object.assign(new Error("the database is silent"), { code: "ETIMEDOUT" }));
    }
  }

  return {
    add(socket) {
      // The startup message is answered by ReadyForQuery as well.
      const watched: Watched = { socket, due: 1, sinceMs: now() };
      all.add(watched);
      stopLooking ??= repeat(look, Math.min(1_000, timeoutMs / 4));
      socket.once("close", () => {
        all.delete(watched);
        if (all.size > 0) return;
        stopLooking?.();
        stopLooking = undefined;
      });

      let isGreeted = false;
      let isDescribing = false;
      const sent = createMessageReader((type) => {
        if (type !== SYNC && type !== QUERY && type !== FLUSH) return;
        if (watched.due === 0) watched.sinceMs = now();
        if (type !== FLUSH) watched.due += 1;
        else if (!isDescribing) {
          isDescribing = true;
          watched.due += 1;
        }
      });
      const heard = createMessageReader((type) => {
        if (type === READY) watched.due -= 1;
      });
      socket.on("data", (chunk: Uint8Array) => {
        watched.sinceMs = now();
        if (isDescribing) {
          isDescribing = false;
          watched.due -= 1;
        }
        heard(chunk);
      });
      const write = socket.write.bind(socket) as (...input: unknown[]) => boolean;
      socket.write = ((...input: unknown[]) => {
        const [chunk] = input;
        // The startup message, which comes first and alone, has no type.
        if (isGreeted && chunk instanceof Uint8Array) sent(chunk);
        isGreeted = true;
        return write(...input);
      }) as Socket["write"];
    },
  };
}

function repeatInBackground(run: () => void, everyMs: number): () => void {
  const timer = setInterval(run, everyMs).unref();
  return () => clearInterval(timer);
}

/** Reads the types of a stream of messages: one byte, then a length that counts itself. */
function createMessageReader(onMessage: (type: number) => void): (chunk: Uint8Array) => void {
  let type = 0;
  let length = 0;
  let headRead = 0;
  let left = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (left > 0) {
        const step = Math.min(left, chunk.length - at);
        at += step;
        left -= step;
        if (left === 0) onMessage(type);
        continue;
      }
      const byte = chunk[at++]!;
      if (headRead === 0) [type, length] = [byte, 0];
      else length = length * 256 + byte;
      headRead += 1;
      if (headRead < 5) continue;
      headRead = 0;
      left = length - 4;
      if (left === 0) onMessage(type);
    }
  };
}
