import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type Link, openLink } from "./link.ts";
import { listen } from "./listen.ts";

/** Longer than bytes take over the loopback. */
const WHILE_MS = 50;

/** Opens a connection over a link, and runs the body with both ends. */
async function connected(body: (link: Link, ends: { near: Socket; far: Socket }) => Promise<void>) {
  const server = createServer({ allowHalfOpen: true });
  const port = await listen(server);
  const link = await openLink(() => ({ host: "127.0.0.1", port }));
  const near = connect({ host: "127.0.0.1", port: link.port, allowHalfOpen: true });
  const [far] = await once(server, "connection") as [Socket];
  for (const socket of [near, far]) socket.on("error", () => {});
  await body(link, { near, far });
  for (const socket of [near, far]) socket.destroy();
  await link.close();
  server.close();
}

/** Sends a word from each end, and returns what has arrived at each. */
async function exchange({ near, far }: { near: Socket; far: Socket }) {
  const heard = { near: "", far: "" };
  near.on("data", (chunk) => heard.near += chunk);
  far.on("data", (chunk) => heard.far += chunk);
  if (near.writable) near.write("ping");
  if (far.writable) far.write("pong");
  await pause(WHILE_MS);
  return heard;
}

test("a link that is mute passes on what one end sends, and after it is healed the rest", async () => {
  await connected(async (link, ends) => {
    link.mute("far");
    const heard = await exchange(ends);
    assertEquals(heard, { near: "", far: "ping" });
    link.heal();
    await pause(WHILE_MS);
    assertEquals(heard, { near: "pong", far: "ping" });
  });
});

for (const [end, other] of [["near", "far"], ["far", "near"]] as const) {
  test(`a connection whose ${end} end is lost stays open and silent at the other until it is healed`, async () => {
    await connected(async (link, ends) => {
      link.halve(end);
      const gone = once(ends[other], "close");
      await once(ends[end].resume(), "end");
      assertEquals((await exchange(ends))[other], "");
      assertEquals([ends[other].readableEnded, ends[other].destroyed], [false, false]);
      link.heal();
      ends[other].resume().once("end", () => ends[other].destroy());
      await gone;
    });
  });
}
