import { EventEmitter } from "node:events";
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { createCells } from "@sabika/service/cells";
import type { ReadCall } from "./call/findings.ts";
import { OPEN_DOOR } from "./door/door.ts";
import { createEventStreams, eventStreamsAcross } from "./event_streams.ts";
import { streamEventsRoute } from "./routes/stream_events.ts";

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

test("a stream ends when its partner has moved, before it sends anything of the cell that it left", async () => {
  const streamsOf = (cellId: string) =>
    createEventStreams({
      now: Date.now,
      onError: (_name, error) => {
        throw error;
      },
      reading: {
        lastSequences: () => Promise.resolve(new Map([[1, 1]])),
        eventsAfter: () => Promise.resolve([{ sequence: 1, json: `of ${cellId}` }]),
      },
    });
  let home = "main";
  const cells = createCells(streamsOf("main"), () => home);
  cells.add("b", streamsOf("b"));
  const streams = eventStreamsAcross(cells);
  const open = () => {
    const check = () => ({ ok: true }) as const;
    const stream = { partnerId: 1, afterSequence: 0, check, cut: () => {}, onEnd: () => {} };
    const reader = streams.open(stream).body.getReader();
    return async () => new TextDecoder().decode((await reader.read()).value);
  };
  const moved = open();
  home = "b";
  const here = open();
  assertEquals([await moved(), await here()], [":\n\n", ":\n\n"]);
  assertEquals(await moved(), 'event: end\ndata: {"code":"service_unavailable"}\n\n');
  assertEquals(await here(), "id: 1\ndata: of b\n\n");
  home = "away";
  assertEquals(await here(), 'event: end\ndata: {"code":"service_unavailable"}\n\n');
  assertEquals(streams.count(), 0);
});

test("streams that are refused while a partner's cell is away take none of its ten", () => {
  const streams = createEventStreams({
    now: Date.now,
    onError: (_name, error) => {
      throw error;
    },
    reading: {
      lastSequences: () => Promise.resolve(new Map()),
      eventsAfter: () => Promise.resolve([]),
    },
  });
  const cells = createCells(streams, () => "b");
  const parts = { eventStreams: eventStreamsAcross(cells), isDraining: () => false };
  const outgoing = new EventEmitter();
  const call = {
    method: "GET",
    query: "after_sequence=0",
    partner: { partnerId: 1 },
    header: () => undefined,
    outgoing,
  } as unknown as ReadCall;
  const route = streamEventsRoute(parts, OPEN_DOOR.next(() => call));
  for (let n = 0; n < 11; n++) assertThrows(() => route(call, ""), Error, "cannot be used");
  cells.add("b", streams);
  const answer = route(call, "") as Exclude<ReturnType<typeof route>, Promise<unknown>>;
  outgoing.emit("close");
  assertEquals([answer.ok, streams.count()], [true, 0]);
});
