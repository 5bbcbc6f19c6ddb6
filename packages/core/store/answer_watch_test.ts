import { test } from "node:test";
import { setTimeout } from "node:timers";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { assertEquals } from "@std/assert";
import { createAnswerWatch } from "./answer_watch.ts";

/** Two connections to a server that answers only when it is told to. */
async function stage(timeoutMs: number) {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {});
    accepted.push(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const watch = createAnswerWatch(timeoutMs);
  const open = async () => {
    const socket = connect({ host: "127.0.0.1", port });
    watch.add(socket);
    const errors: unknown[] = [];
    socket.on("error", (error) => errors.push((error as { code?: string }).code));
    socket.write(new Uint8Array([0, 0, 0, 8, 0, 3, 0, 0]));
    await once(socket, "connect");
    while (accepted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    return { socket, peer: accepted.shift()!, errors };
  };
  const close = async () => {
    server.close();
    await once(server, "close");
  };
  return { open, close };
}

const message = (type: string, ...body: number[]) =>
  new Uint8Array([type.charCodeAt(0), 0, 0, 0, 4 + body.length, ...body]);
const READY = message("Z", 73);
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.closed ? resolve() : socket.once("close", () => resolve()));
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("connections are given up once an answer is overdue, the silent idle ones with them", async () => {
  const { open, close } = await stage(200);
  const one = await open();
  const idle = await open();
  for (const { peer } of [idle, one]) peer.write(READY);
  await wait(400);
  // Nothing is due: silence is no fault.
  assertEquals([one.errors, idle.errors], [[], []]);
  one.socket.write(message("S"));
  await Promise.all([closed(one.socket), closed(idle.socket)]);
  assertEquals([one.errors, idle.errors], [["ETIMEDOUT"], ["ETIMEDOUT"]]);
  await close();
});

test("an answer that comes in pieces, and one to each of two statements, is waited for", async () => {
  const { open, close } = await stage(300);
  const { socket, peer, errors } = await open();
  peer.write(READY);
  await wait(20);
  socket.write(message("P", 1, 2, 3));
  socket.write(message("H"));
  await wait(150);
  peer.write(message("t", 0, 0));
  await wait(20);
  socket.write(new Uint8Array([...message("S"), ...message("S")]));
  for (const piece of [READY.subarray(0, 3), READY.subarray(3), READY.subarray(0, 1)]) {
    await wait(150);
    peer.write(piece);
  }
  await wait(150);
  assertEquals(errors, []);
  // The second one is due still: half of it is not enough.
  await closed(socket);
  assertEquals(errors, ["ETIMEDOUT"]);
  await close();
});
