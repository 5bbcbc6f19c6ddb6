import { after, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { sized } from "../../../test/support/sized.ts";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { createAttemptLog } from "./attempt_log.ts";
import { createLaneCursor, failedAttempt } from "./lane_cursor.ts";
import type { LaneStore } from "./lane_store.ts";
import type { PostResult } from "./post_webhook.ts";
import type { LeasedLane } from "./webhook_lanes.ts";

/** Around the events after which the cursor is written, and around the events that are read at once. */
const COUNTS = [1, 24, 25, 26, 49, 50, 51, 65, 101];
const HOUR = 3_600_000;
/** Longer than a lease. */
const TAKEN_OVER_MS = 6_000;
/** No authority is parsed for a worker, as none connects. */
const LIGHT = { extraCaPem: undefined };

interface Story {
  readonly count: number;
  readonly inFlight: number;
  /** Events that fail, each with the answers before it is accepted; 0: the connection breaks. */
  readonly troubles: readonly { readonly at: number; readonly answers: readonly number[] }[];
  /** After how many turns of the event loop answers come, again and again. */
  readonly turns: readonly number[];
  /** After how many answers each worker dies. */
  readonly deaths: readonly number[];
}

const story: fc.Arbitrary<Story> = fc.constantFrom(...COUNTS).chain((count) => {
  const around = fc.constantFrom(...COUNTS.map((at) => Math.min(at, count)));
  const at = fc.oneof(around, fc.integer({ min: 1, max: count }));
  const answers = fc.array(fc.constantFrom(0, 500, 503, 422), { minLength: 1, maxLength: 4 });
  return fc.record({
    count: fc.constant(count),
    inFlight: fc.constantFrom(1, 2, 16, 64),
    troubles: fc.uniqueArray(fc.record({ at, answers }), {
      maxLength: 6,
      selector: ({ at }) => at,
    }),
    turns: fc.array(fc.nat(20), { minLength: 1, maxLength: 20 }),
    deaths: fc.array(at, { maxLength: 2 }),
  });
});

/** An endpoint in this process, as the story says. */
function endpointOf({ troubles, turns }: Pick<Story, "troubles" | "turns">) {
  const left = new Map(troubles.map(({ at, answers }) => [at, [...answers]]));
  const accepted = new Set<number>();
  let posts = 0;

  /** Connects a worker that gets no answer after some. */
  function connect(dies: { after: number; onDeath: () => void }) {
    let given = 0;
    async function post(_headers: object, body: Uint8Array): Promise<PostResult> {
      const { sequence } = JSON.parse(new TextDecoder().decode(body)) as { sequence: number };
      for (let wait = turns[posts++ % turns.length]!; wait > 0; wait--) await turn();
      if (given === dies.after) {
        dies.onDeath();
        return await new Promise(() => {});
      }
      given += 1;
      const status = left.get(sequence)?.shift() ?? 204;
      if (status === 204) accepted.add(sequence);
      if (status === 0) return { kind: "failed", reason: "ECONNRESET" };
      return { kind: "answered", status, retryAfter: undefined };
    }
    return () => ({ post, close: () => {} });
  }
  return { connect, accepted };
}

const outbox = await openTestOutbox();
after(() => outbox.close());

describe("the cursor of a lane", () => {
  /** Asserts that each event before the cursor was accepted or has a schedule; returns the states of these. */
  async function passesNothing(partnerId: number, accepted: ReadonlySet<number>) {
    const { next } = await outbox.lane(partnerId);
    const scheduled = await outbox.deliveries(partnerId);
    const settled = new Set([...accepted, ...scheduled.map(({ sequence }) => sequence)]);
    for (let sequence = 1; sequence < next; sequence++) {
      assert(
        settled.has(sequence),
        `the cursor is at ${next}, and event ${sequence} is not settled`,
      );
    }
    return scheduled.map(({ state }) => state);
  }

  /** Lets workers deliver until each has died, and then one until nothing is left. */
  async function live(partnerId: number, { deaths, count, ...story }: Story): Promise<void> {
    const { connect, accepted } = endpointOf(story);
    for (const after of deaths) {
      let onDeath = () => {};
      const died = new Promise<void>((resolve) => onDeath = resolve);
      const worker = outbox.worker({ connect: connect({ after, onDeath }), ...LIGHT });
      await Promise.race([worker.runDue(), died]);
      await passesNothing(partnerId, accepted);
      outbox.clock.ms += TAKEN_OVER_MS;
    }
    const last = outbox.worker({
      connect: connect({ after: Infinity, onDeath: () => {} }),
      ...LIGHT,
    });
    // Six events that fail four times each may hold the lane one after the other.
    for (let hour = 0; hour <= 6 * 4; hour++) {
      await last.runDue();
      const states = await passesNothing(partnerId, accepted);
      outbox.clock.ms += HOUR;
      if (accepted.size === count && states.every((state) => state === "delivered")) break;
    }
    assertEquals([accepted.size, (await outbox.lane(partnerId)).next], [count, count + 1]);
    const states = await passesNothing(partnerId, accepted);
    assert(states.every((state) => state === "delivered"), states.join());
  }

  test("passes an event only when it is settled, whatever fails and whoever dies", async () => {
    await fc.assert(
      fc.asyncProperty(story, async (story) => {
        const partnerId = await outbox.addPartner("https://127.0.0.1:9000/", story.inFlight);
        try {
          await outbox.writePings(partnerId, story.count);
          await live(partnerId, story);
        } finally {
          // A worker asks for the lanes of all partners.
          await outbox.test.database.sql`
            update partners set webhook_url = null where partner_id = ${partnerId}`;
        }
      }),
      { numRuns: sized(15, 1_000), interruptAfterTimeLimit: sized(60_000, 300_000) },
    );
  });

  /** Lets a worker deliver so many lanes at once; `answer` resolves when an event is answered with 204. */
  async function deliver(
    concurrency: number,
    answer: (event: string, sequence: number) => Promise<void>,
  ) {
    const post = async (headers: Record<string, string>, body: Uint8Array) => {
      await answer(headers["webhook-id"]!, JSON.parse(new TextDecoder().decode(body)).sequence);
      return { kind: "answered", status: 204, retryAfter: undefined } as const;
    };
    const connect = () => ({ post, close: () => {} });
    await outbox.worker({ connect, concurrency, ...LIGHT }).runDue();
  }

  test("is at most a thousand events behind what is delivered", async () => {
    const partnerId = await outbox.addPartner("https://127.0.0.1:9000/", 64);
    await outbox.writePings(partnerId, 1_040);
    let [most, accepted] = [0, 0];
    let furthest: number | undefined;
    let onStall = () => {};
    const stalled = new Promise<void>((resolve) => onStall = resolve);
    await deliver(2, async (_event, sequence) => {
      most = Math.max(most, sequence);
      // The second one is answered only when nothing else is sent any more.
      if (sequence === 2) return await stalled;
      if (++accepted !== 1_000) return;
      for (let n = 0; n < 20; n++) await turn();
      furthest = most;
      onStall();
    });
    assertEquals([furthest, most, (await outbox.lane(partnerId)).next], [1_001, 1_040, 1_041]);
  });

  test("makes room for another lane after 500 events", async () => {
    const lanes = await Promise.all(
      [1, 2].map(() => outbox.addPartner("https://127.0.0.1:9000/")),
    );
    const events = await Promise.all(lanes.map((lane) => outbox.writePings(lane, 501)));
    const order: string[] = [];
    await deliver(1, (event) => Promise.resolve(void order.push(event)));
    const laneOf = (event: string) => events.findIndex((ids) => ids.some((id) => id === event));
    const [first, ...rest] = order.map(laneOf);
    assertEquals(rest.indexOf(1 - first!) + 1, 500);
    assertEquals(order.length, 1_002);
  });

  test("records an event once, though others are answered meanwhile", async () => {
    let recorded = 0;
    const store = {
      recordDelivery: () => new Promise<boolean>((resolve) => setImmediate(resolve, !!++recorded)),
      advance: () => Promise.resolve(true),
    } as Partial<LaneStore> as LaneStore;
    const lane = { nextSequence: 1n } as LeasedLane;
    const attempts = createAttemptLog(() => Promise.resolve());
    const log = { warn: () => {}, error: () => {} };
    const cursor = createLaneCursor({ store, attempts, log }, lane);
    const noted = [1n, 2n].map((sequence) =>
      cursor.note({
        sequence,
        attempts: 2 - Number(sequence) + 1,
        verdict: { kind: "delivered", status: 204 },
        atMs: 0,
      })
    );
    assertEquals([await Promise.all(noted), recorded], [[true, true], 1]);
  });

  test("failedAttempt() takes no event that was delivered", () => {
    const verdict = { kind: "delivered", status: 204 } as const;
    const answer = { sequence: 5n, attempts: 1, atMs: 0, verdict };
    assertThrows(() => failedAttempt(answer), TypeError, "event 5 was delivered");
  });
});
