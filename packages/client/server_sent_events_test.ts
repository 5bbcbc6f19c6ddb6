import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import { messagesOf } from "./server_sent_events.ts";

test("who takes long with a message, or leaves after it, is not held to the stream's silence", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const data of ["a", "b"]) {
        controller.enqueue(new TextEncoder().encode(`data: ${data}\n\n`));
      }
    },
    cancel: () => void (isCancelled = true),
  });
  const messages = messagesOf(body, 5, () => {});
  assertEquals((await messages.next()).value?.data, "a");
  await setTimeout(20);
  assertEquals(isCancelled, false);
  assertEquals((await messages.next()).value?.data, "b");
  // The stream is silent now, and the reader listens.
  assertEquals((await messages.next()).done, true);
  assertEquals(isCancelled, true);
});
