import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { createEventStreams } from "./event_streams.ts";

test("a page is read when a caller takes it, and once for callers at the same place", async () => {
  const asked: number[] = [];
  const streams = createEventStreams({
    now: Date.now,
    onError: (_name, error) => {
      throw error;
    },
    reading: {
      lastSequences: (ids) => Promise.resolve(new Map(ids.map((id) => [id, 100_000]))),
      eventsAfter({ afterSequence, limit }) {
        asked.push(afterSequence);
        const page = Array.from({ length: limit }, (_, n) => afterSequence + 1 + n);
        return Promise.resolve(page.map((sequence) => ({ sequence, json: "{}" })));
      },
    },
  });
  const ended: number[] = [];
  const opened = [0, 1].map((n) =>
    streams.open({
      partnerId: 1,
      afterSequence: 0,
      check: () => ({ ok: true }),
      cut: () => {},
      onEnd: () => void ended.push(n),
    })
  );
  const readers = opened.map(({ body }) => body.getReader());
  for (let n = 0; n < 3; n++) await Promise.all(readers.map((reader) => reader.read()));
  assertEquals(asked, [0, 100], "a comment and two pages, shared");
  assertEquals(streams.count(), 2);
  await readers[0]!.cancel();
  opened[0]!.end();
  opened[1]!.end();
  assertEquals([ended, streams.count()], [[0, 1], 0]);
});
