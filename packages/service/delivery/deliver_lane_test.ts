import { describe, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { laneInMemory, type LaneStory, START_MS } from "../../../test/support/lane_in_memory.ts";
import { deliverLane } from "./deliver_lane.ts";

/** Delivers in a lane whose store and endpoint are in memory. */
async function deliver(story: LaneStory) {
  const { lane, parts, ...told } = laneInMemory(story);
  const hasMore = await deliverLane(parts, lane).catch((error: unknown) => error);
  return { ...told, hasMore };
}

const lost = () => Promise.resolve(false);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe("deliverLane()", () => {
  const cases: Record<string, [LaneStory, sent: number[], written: string[]]> = {
    "writes the cursor once, when it ends the lease": [{}, [1, 2, 3], [
      "release at 30 ms, settled to 4",
    ]],
    "writes the cursor after 25 events": [{ count: 26 }, upTo(26), [
      "advance to 26",
      "release at 260 ms, settled to 27",
    ]],
    "writes no cursor before": [{ count: 24 }, upTo(24), ["release at 240 ms, settled to 25"]],
    "has nothing to send when there is no event": [
      { count: 0 },
      [],
      ["release at 0 ms, settled to 1"],
    ],
    "records the delivery of an event that had failed": [{ lane: { attempts: 1 } }, [1, 2, 3], [
      "delivered: 1 (204) after 10 ms",
      "advance to 2",
      "release at 30 ms, settled to 4",
    ]],
    "stops when its lease is lost as it moves the cursor": [
      { lane: { attempts: 1 }, store: { advance: lost } },
      [1],
      ["delivered: 1 (204) after 10 ms", "release at 10 ms, settled to 1"],
    ],
    "holds the lane at an event that the endpoint in trouble did not accept": [
      { answers: { 2: 500 } },
      [1, 2],
      [
        "advance to 2",
        "hold: 2 failed 1 (500 HTTP 500) after 20 ms, in 526 ms",
        "release at 20 ms, settled to undefined",
      ],
    ],
    "holds the lane when the connection breaks": [
      { answers: { 1: 0 }, lane: { attempts: 1 } },
      [1],
      [
        "hold: 1 failed 2 (null ECONNRESET) after 10 ms, in 4726 ms",
        "release at 10 ms, settled to undefined",
      ],
    ],
    "parks an event that was refused three times, and goes on": [
      { answers: { 1: 422 }, lane: { attempts: 2 } },
      [1, 2, 3],
      [
        "skip: 1 failed 3 (422 HTTP 422) after 10 ms, in 309779 ms",
        "release at 30 ms, settled to 4",
      ],
    ],
    "gives up an event after its last attempt": [
      { answers: { 1: 500 }, lane: { attempts: 10 }, count: 1 },
      [1],
      ["skip: 1 failed 11 (500 HTTP 500) after 10 ms, never", "release at 10 ms, settled to 2"],
    ],
    "stops when its lease is lost as it parks an event": [
      { answers: { 1: 422 }, lane: { attempts: 2 }, store: { skip: lost } },
      [1],
      ["release at 10 ms, settled to undefined"],
    ],
    "disables an endpoint that is gone": [{ answers: { 2: 410 } }, [1, 2], [
      "advance to 2",
      "disable: 2 failed 1 (410 HTTP 410) after 20 ms",
      "release at 20 ms, settled to undefined",
    ]],
    "parks an event that failed while a later one was accepted": [
      { answers: { 3: 500 }, waitsFor: { 3: 4 }, lane: { inFlight: 2 }, count: 5 },
      [1, 2, 3, 4, 5],
      [
        "advance to 3",
        "skip: 3 failed 1 (500 HTTP 500) after 40 ms, in 526 ms",
        "release at 50 ms, settled to 6",
      ],
    ],
    "parks two events that failed before a later one was accepted": [
      { answers: { 2: 500, 3: 500 }, waitsFor: { 4: 3 }, lane: { inFlight: 3 }, count: 4 },
      [1, 2, 3, 4],
      [
        "advance to 2",
        "skip: 2 failed 1 (500 HTTP 500) after 20 ms, in 506 ms",
        "skip: 3 failed 1 (500 HTTP 500) after 40 ms, in 526 ms",
        "release at 40 ms, settled to 5",
      ],
    ],
    "holds the lane at an event when the one after it failed too": [
      { answers: { 2: 500, 3: 500 }, waitsFor: { 2: 3 }, lane: { inFlight: 2 }, count: 9 },
      [1, 2, 3],
      [
        "advance to 2",
        "hold: 2 failed 1 (500 HTTP 500) after 30 ms, in 526 ms",
        "release at 30 ms, settled to undefined",
      ],
    ],
    "stops when its lease is lost before such an event": [
      {
        answers: { 3: 500 },
        waitsFor: { 3: 4 },
        lane: { inFlight: 2 },
        count: 9,
        store: { advance: lost },
      },
      [1, 2, 3, 4, 5],
      ["release at 50 ms, settled to 1"],
    ],
    "sends no more to an endpoint that asks for a pause": [
      { answers: { 3: 503 }, waitsFor: { 3: 4 }, lane: { inFlight: 2 }, count: 9 },
      [1, 2, 3, 4],
      [
        "advance to 3",
        "hold: 3 failed 1 (503 HTTP 503) after 40 ms, in 526 ms",
        "release at 40 ms, settled to undefined",
      ],
    ],
    "sends what has a schedule first, then from the cursor on": [
      { due: [[1n, 3], [2n, 0]], lane: { nextSequence: 4n }, count: 5 },
      [1, 2, 4, 5],
      [
        "delivered: 1 (204) after 10 ms",
        "delivered: 2 (204) after 20 ms",
        "release at 40 ms, settled to 6",
      ],
    ],
    "sends only what has a schedule when the cursor is not due": [
      { due: [[1n, 3]], lane: { nextSequence: 4n, cursorDue: false }, count: 5 },
      [1],
      ["delivered: 1 (204) after 10 ms", "release at 10 ms, settled to 4"],
    ],
    "looks for what has a schedule only when there is something, or in a while": [
      { due: [[1n, 3]], lane: { nextSequence: 4n, hasScheduled: false }, count: 5 },
      [4, 5],
      ["release at 20 ms, settled to 6"],
    ],
    "stops when an event was requested again meanwhile": [
      {
        due: [[1n, 3]],
        lane: { nextSequence: 4n },
        count: 5,
        store: { recordDelivery: lost },
      },
      [1],
      ["release at 10 ms, settled to 4"],
    ],
    "schedules a scheduled event that was refused": [
      { due: [[1n, 3]], answers: { 1: 500 }, lane: { nextSequence: 4n }, count: 5 },
      [1, 4, 5],
      [
        "schedule: 1 failed 4 (500 HTTP 500) after 10 ms, in 1575147 ms",
        "release at 30 ms, settled to 6",
      ],
    ],
    "gives up a scheduled event after its last attempt": [
      { due: [[1n, 10]], answers: { 1: 500 }, lane: { nextSequence: 4n }, count: 5 },
      [1, 4, 5],
      ["schedule: 1 failed 11 (500 HTTP 500) after 10 ms, never", "release at 30 ms, settled to 6"],
    ],
    "postpones what is due when the connection breaks": [
      { due: [[1n, 3], [2n, 0]], answers: { 1: 0 }, lane: { nextSequence: 4n }, count: 5 },
      [1],
      [
        "schedule: 1 failed 4 (null ECONNRESET) after 10 ms, in 1575147 ms",
        "postpone what is due at 10 ms, in 1575147 ms",
        "release at 10 ms, settled to 4",
      ],
    ],
    "postpones what is due when the endpoint asks for a pause": [
      { due: [[1n, 3], [2n, 0]], answers: { 1: 429 }, lane: { nextSequence: 4n, inFlight: 2 } },
      [1],
      [
        "schedule: 1 failed 4 (429 HTTP 429) after 10 ms, in 1575147 ms",
        "postpone what is due at 10 ms, in 1575147 ms",
        "release at 10 ms, settled to 4",
      ],
    ],
    "disables an endpoint that is gone at a scheduled event": [
      { due: [[1n, 3], [2n, 0]], answers: { 1: 410 }, lane: { nextSequence: 4n } },
      [1],
      ["disable: 1 failed 4 (410 HTTP 410) after 10 ms", "release at 10 ms, settled to 4"],
    ],
    "does not postpone what is due when the endpoint does well otherwise": [
      {
        due: [[1n, 0], [2n, 0], [3n, 0]],
        answers: { 2: 500 },
        waitsFor: { 3: 2 },
        lane: { inFlight: 2, cursorDue: false },
      },
      [1, 2, 3],
      [
        "delivered: 1 (204) after 10 ms",
        "schedule: 2 failed 1 (500 HTTP 500) after 30 ms, in 526 ms",
        "delivered: 3 (204) after 30 ms",
        "release at 30 ms, settled to 1",
      ],
    ],
    "sends nothing once its lease is over": [{ count: 9, lane: { leasedUntilMs: START_MS + 30 } }, [
      1,
      2,
      3,
    ], ["release at 30 ms, settled to 4"]],
  };
  for (const [name, [story, sent, written]] of Object.entries(cases)) {
    test(name, async () => {
      const told = await deliver(story);
      const inOrder = told.sent.toSorted((a, b) => a - b);
      assertEquals({ sent: inOrder, written: told.written }, { sent, written });
      assertEquals(told.hasMore, false);
    });
  }

  test("lets one more event go with each answer, and one at a time in trouble", async () => {
    const { atOnce } = await deliver({
      count: 12,
      lane: { inFlight: 4 },
      waitsFor: { 4: 7, 5: 7, 6: 7 },
    });
    assertEquals([atOnce.slice(0, 2), Math.max(...atOnce)], [[1, 1], 4]);
    const alone = await deliver({
      due: [[1n, 0], [2n, 0], [3n, 0]],
      lane: { inFlight: 4, nextSequence: 4n, attempts: 1, cursorDue: false },
      isSlow: true,
    });
    assertEquals(alone.atOnce, [1, 1, 1]);
  });

  test("stops after three failures in a row, and not after two", async () => {
    const breakingAt = (...sequences: number[]) =>
      deliver({
        count: 40,
        lane: { inFlight: 16 },
        answers: Object.fromEntries(sequences.map((sequence) => [sequence, 0])),
      });
    assertEquals((await breakingAt(5, 6)).sent.length, 40);
    const { sent } = await breakingAt(...upTo(40).slice(4));
    assert(sent.length >= 7 && sent.length < 20, `${sent.length} events`);
  });

  test("begins no event before its turn, and none after the last that may be begun", async () => {
    const begun: number[] = [];
    let turns = 0;
    const { sent, hasMore, written } = await deliver({
      count: 9,
      parts: {
        pace: () => Promise.resolve(void turns++),
        mayContinue: (count: number) => begun.push(count) < 4,
      },
    });
    assertEquals([sent, turns, begun, hasMore], [[1, 2, 3], 4, [0, 1, 2, 3], true]);
    assertEquals(written, ["release at 30 ms, settled to 4"]);
  });

  test("ends the lease when the database cannot be written, and says why", async () => {
    const away = () => Promise.reject(new Error("away"));
    const cases: LaneStory[] = [
      { store: { advance: away } },
      { store: { events: away } },
      { parts: { attempts: { add: () => {}, written: away } } },
    ];
    for (const story of cases) {
      const { hasMore, written } = await deliver({ ...story, lane: { attempts: 1 } });
      assertEquals((hasMore as Error).message, "away");
      assertEquals(written.at(-1)!.slice(0, 7), "release");
    }
  });

  test("looks again for what has a schedule after half a second, and sends none twice at once", async () => {
    const lane = { nextSequence: 4n, inFlight: 2 };
    const timesOf1 = async (attemptMs: number) => {
      const { sent } = await deliver({
        due: [[1n, 0], [2n, 0]],
        lane,
        count: 163,
        attemptMs,
        waitsFor: { 2: 163 },
      });
      const others = sent.filter((sequence) => sequence !== 1);
      assertEquals([others.length, new Set(others).size], [161, 161]);
      return sent.length - others.length;
    };
    assertEquals([await timesOf1(1), await timesOf1(11)], [1, 4]);
  });
});
