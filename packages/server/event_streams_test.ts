import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { createEventStreams } from "./event_streams.ts";

test("a page is read when a caller takes it, and once for a partner's callers at the same place", async () => {
  const asked: string[] = [];
  const streams = createEventStreams({
    now: Date.now,
    onError: (_name, error) => {
      throw error;
    },
    reading: {
      lastSequences: (ids) => Promise.resolve(new Map(ids.map((id) => [id, 100_000]))),
      eventsAfter({ partnerId, afterSequence, limit }) {
        asked.push(`partner ${partnerId} after ${afterSequence}`);
        const page = Array.from({ length: limit }, (_, n) => afterSequence + 1 + n);
        return Promise.resolve(page.map((sequence) => ({ sequence, json: String(partnerId) })));
      },
    },
  });
  const ended: number[] = [];
  const opened = [1, 1, 2].map((partnerId, n) =>
    streams.open({
      partnerId,
      afterSequence: 0,
      check: () => ({ ok: true }),
      cut: () => {},
      onEnd: () => void ended.push(n),
    })
  );
  const readers = opened.map(({ body }) => body.getReader());
  const rounds: number[][][] = [];
  for (let n = 0; n < 3; n++) {
    const read = await Promise.all(readers.map((reader) => reader.read()));
    rounds.push(read.map(({ value }) => ownersOf(new TextDecoder().decode(value))));
  }
  const whileOpen = streams.count();
  await readers[0]!.cancel();
  for (const { end } of opened) end();
  const page = [[1], [1], [2]];
  assertEquals(rounds, [[[], [], []], page, page], "whose events a comment and two pages have");
  const pages = [0, 100].flatMap((place) => [1, 2].map((id) => `partner ${id} after ${place}`));
  assertEquals(asked, pages, "the callers of a partner share its pages");
  assertEquals([whileOpen, ended, streams.count()], [3, [0, 1, 2], 0]);
});

/** The partners whose events are in the text of a stream. */
function ownersOf(text: string): number[] {
  return [...new Set(text.match(/(?<=data: )\d+/g)?.map(Number))];
}
