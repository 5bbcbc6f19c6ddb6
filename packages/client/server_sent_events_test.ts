import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/any_text.ts";
import { messagesOf, type StreamMessage } from "./server_sent_events.ts";

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

test("a stream has the same messages wherever its bytes are cut", async () => {
  const unit = fc.oneof(anyCharacter, fc.constantFrom(..."é€😀\u2028: "));
  const data = fc.string({ unit, minLength: 1 }).map((text) => `.${text.replace(/[\r\n]/g, "")}`);
  const sent = fc.array(data, { maxLength: 4 });
  const cuts = fc.array(fc.nat(100));
  const end = fc.constantFrom("\n", "\r\n");
  await fc.assert(fc.asyncProperty(sent, cuts, end, async (sent, cuts, end) => {
    const text = sent.map((data) => `event: €${end}data: ${data}${end}${end}`).join("");
    const bytes = new TextEncoder().encode(text);
    const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        places.forEach((place, n) => controller.enqueue(bytes.subarray(place, places[n + 1])));
        controller.close();
      },
    });
    const read: StreamMessage[] = [];
    for await (const message of messagesOf(body, 60_000, () => {})) read.push(message);
    assertEquals(read, sent.map((data) => ({ event: "€", data })));
  }));
});
