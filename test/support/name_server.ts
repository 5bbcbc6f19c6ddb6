import { createSocket } from "node:dgram";
import { once } from "node:events";

/** The types of DNS records for IPv4 and IPv6 addresses (RFC 1035, RFC 3596). */
export const TYPE_A = 1;
export const TYPE_AAAA = 28;

/**
 * Opens a name server (UDP, on the loopback).
 *
 * @param answer returns the four bytes of a name's IPv4 address; null: NXDOMAIN; undefined: no answer
 */
export async function openNameServer(answer: (name: string) => number[] | null | undefined) {
  const socket = createSocket("udp4");
  const queried = new Map<string, Set<number>>();
  let tellQueried: () => void = () => {};
  const firstQuery = new Promise<void>((resolve) => tellQueried = resolve);
  socket.on("message", (query, { port }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString("latin1"));
      at += 1 + length;
    }
    const name = labels.join(".").toLowerCase();
    const question = query.subarray(12, at + 5);
    const type = question.readUInt16BE(question.length - 4);
    queried.set(name, (queried.get(name) ?? new Set()).add(type));
    tellQueried();
    const address = answer(name);
    if (address === undefined) return;
    const known = address !== null && type === TYPE_A;
    const record = known ? [0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, ...address] : [];
    // Response code 3 is NXDOMAIN.
    const head = [0x81, address === null ? 0x83 : 0x80, 0, 1, 0, known ? 1 : 0, 0, 0, 0, 0];
    const reply = [...query.subarray(0, 2), ...head, ...question, ...record];
    socket.send(Uint8Array.from(reply), port, "127.0.0.1");
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    /** `address:port`. */
    server: `127.0.0.1:${socket.address().port}`,
    /** The names that were queried, with the record types. */
    queried,
    /** Resolves at the first query. */
    firstQuery,
    close: () => void socket.close(),
  };
}
