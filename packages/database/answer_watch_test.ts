import { test } from "node:test";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { assertEquals } from "@std/assert";
import { listen } from "../../test/support/listen.ts";
import { createAnswerWatch } from "./answer_watch.ts";

/** Opens connections to a server that answers on request, under a watch whose clock the test moves. */
async function stage(timeoutMs: number) {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {});
    accepted.push(socket);
  });
  const port = await listen(server);
  let nowMs = 0;
  let look = () => {};
  const watch = createAnswerWatch(timeoutMs, () => nowMs, (run) => {
    look = run;
    return () => {};
  });
  const open = async () => {
    const connected = once(server, "connection");
    const socket = connect({ host: "127.0.0.1", port });
    watch.add(socket);
    const errors: unknown[] = [];
    socket.on("error", (error) => errors.push((error as { code?: string }).code));
    socket.write(new Uint8Array([0, 0, 0, 8, 0, 3, 0, 0]));
    await connected;
    const peer = accepted.shift()!;
    /** Sends the bytes, and waits until they have arrived. */
    const answer = async (bytes: Uint8Array) => {
      const arrived = once(socket, "data");
      peer.write(bytes);
      await arrived;
    };
    return { socket, answer, errors };
  };
  const pass = (ms: number) => {
    nowMs += ms;
    look();
  };
  const close = async () => {
    server.close();
    await once(server, "close");
  };
  return { open, pass, close };
}

const message = (type: string, ...body: number[]) =>
  new Uint8Array([type.charCodeAt(0), 0, 0, 0, 4 + body.length, ...body]);
const READY = message("Z", 73);
const closing = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once("close", () => resolve()));

test("an overdue answer closes its connection, and idle ones that were silent as long", async () => {
  const { open, pass, close } = await stage(200);
  const first = await open();
  const idle = await open();
  for (const { answer } of [idle, first]) await answer(READY);
  pass(400);
  // Nothing is due: silence is no fault.
  assertEquals([first.socket.destroyed, idle.socket.destroyed], [false, false]);
  first.socket.write(message("S"));
  pass(200);
  assertEquals(first.socket.destroyed, false);
  const bothClose = Promise.all([closing(first.socket), closing(idle.socket)]);
  pass(1);
  await bothClose;
  assertEquals([first.errors, idle.errors], [["ETIMEDOUT"], ["ETIMEDOUT"]]);
  await close();
});

test("the watch waits for an answer in pieces, and for one to each of two statements", async () => {
  const { open, pass, close } = await stage(300);
  const { socket, answer, errors } = await open();
  await answer(READY);
  socket.write(message("P", 1, 2, 3));
  socket.write(message("H"));
  pass(250);
  await answer(message("t", 0, 0));
  socket.write(new Uint8Array([...message("S"), ...message("S")]));
  for (const piece of [READY.subarray(0, 3), READY.subarray(3), READY.subarray(0, 1)]) {
    pass(250);
    await answer(piece);
  }
  pass(250);
  assertEquals(socket.destroyed, false);
  // The second answer is still due: half of it is not enough.
  const closes = closing(socket);
  pass(51);
  await closes;
  assertEquals(errors, ["ETIMEDOUT"]);
  await close();
});
