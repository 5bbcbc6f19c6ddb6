import { test } from "node:test";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { assertEquals, assertRejects } from "@std/assert";
import { resolveHost } from "./resolve_host.ts";

const A = 1;

/** A name server on this machine: it knows one address of every name, or says nothing at all. */
async function withNameServer(
  address: number[] | undefined,
  body: (server: string, asked: Set<number>) => Promise<void>,
): Promise<void> {
  const socket = createSocket("udp4");
  const asked = new Set<number>();
  socket.on("message", (query, { port }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const type = question.readUInt16BE(question.length - 4);
    asked.add(type);
    if (address === undefined) return;
    const known = type === A;
    const answer = [0xc0, 0x0c, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...address];
    const head = [0x81, 0x80, 0, 1, 0, known ? 1 : 0, 0, 0, 0, 0];
    const reply = [...query.subarray(0, 2), ...head, ...question, ...(known ? answer : [])];
    socket.send(Uint8Array.from(reply), port, "127.0.0.1");
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  try {
    await body(`127.0.0.1:${socket.address().port}`, asked);
  } finally {
    socket.close();
  }
}

test("a host's addresses are asked of the DNS, of both families", () =>
  withNameServer([192, 0, 2, 7], async (server, asked) => {
    const found = await resolveHost("hook.example.com", { servers: [server] });
    assertEquals(found, [{ address: "192.0.2.7", family: 4 }]);
    assertEquals(asked, new Set([1, 28]));
  }));

test("a name server that says nothing is given up, and holds no thread meanwhile", () =>
  withNameServer(undefined, async (server) => {
    const hanging = Array.from({ length: 16 }, (_, n) =>
      assertRejects(
        () => resolveHost(`hook-${n}.example.com`, { servers: [server], timeoutMs: 300 }),
        Error,
      ));
    // Done by the threads that getaddrinfo would hold.
    await crypto.subtle.digest("SHA-256", new Uint8Array(8));
    await Promise.all(hanging);
  }));

test("localhost is this machine, whatever a name server would say", async () => {
  const addresses = (await resolveHost("localhost")).map(({ address }) => address);
  assertEquals(addresses, ["127.0.0.1", "::1"]);
});
