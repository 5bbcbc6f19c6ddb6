import { after, test } from "node:test";
import fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import { eventFromJson, eventToJson, formatId, parseJson, signWebhook } from "@sabika/protocol";
import { openTestDatabase } from "../../test/support/test_database.ts";
import {
  createOrderedReceiver,
  createWebhookHandler,
  type PostgresQuery,
  sequenceInMemory,
  sequenceInPostgres,
  type SequenceStore,
} from "./mod.ts";

const SECRET = "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0";
const NOW = 1_800_000_000;

const { database, close } = await openTestDatabase();
after(close);
const { sql } = database;
await sql`create table sabika_receivers (name text primary key, next_sequence bigint not null)`;
await sql`create table effects (number int not null, receiver text not null)`;
const store = (name: string) =>
  sequenceInPostgres({
    name,
    begin: (work) => sql.begin((tx) => work((text, values) => tx.unsafe(text, values))),
  });
const write = (name: string) => async (number: number, query: PostgresQuery) => {
  await query("insert into effects (number, receiver) values ($1, $2)", [number, name]);
};
const effects = async (name: string) =>
  (await sql<{ number: number }[]>`
    select number from effects where receiver = ${name} order by ctid`).map((row) => row.number);

function bodyOf(sequence: number): string {
  const uuid = `01932f0e-7c00-7000-8000-${String(sequence).padStart(12, "0")}`;
  return eventToJson({
    id: formatId("evt", uuid),
    type: "ping",
    environment: "sandbox",
    sequence,
    timestampMs: NOW * 1000,
    objectJson: "{}",
  });
}

const eventOf = (sequence: number) => eventFromJson(parseJson(bodyOf(sequence)));

async function deliveryOf(sequence: number) {
  const body = bodyOf(sequence);
  const { id } = eventOf(sequence);
  const timestampSeconds = NOW;
  const signature = await signWebhook({ secrets: [SECRET], id, timestampSeconds, body });
  const headers = new Headers({
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signature,
  });
  return { headers, body };
}

/** Opens a receiver for a service that has `written()` events; its handler throws if `fails` is true. */
function open<T>(
  sequence: SequenceStore<T>,
  handle: (sequence: number, transaction: T) => void | Promise<void>,
  written: () => number,
  fails: () => boolean = () => false,
) {
  const requests: { afterSequence: number; limit: number }[] = [];
  const options = {
    secrets: [SECRET],
    sequence,
    now: () => NOW * 1000,
    wait: () => Promise.resolve(),
    events(filter: { afterSequence: number; limit: number }) {
      requests.push(filter);
      const { afterSequence, limit } = filter;
      const count = Math.max(0, Math.min(limit, written() - afterSequence));
      const data = Array.from({ length: count }, (_, n) => eventOf(afterSequence + 1 + n));
      return Promise.resolve({ data });
    },
    async handle(event: { sequence: number }, transaction: T) {
      await handle(event.sequence, transaction);
      if (fails()) throw new Error("the handler failed");
    },
  };
  return { receive: createOrderedReceiver(options), requests };
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

test("a store does the work of the next event alone, not of an earlier or a later one", async () => {
  for (const sequence of [sequenceInMemory(), store("steps")]) {
    assertEquals(await sequence.next(), 1);
    const done: number[] = [];
    const step = (number: number) =>
      sequence.step(number, () => Promise.resolve(void done.push(number)));
    assertEquals([await step(1), await step(1), await step(3), await step(2)], [
      true,
      false,
      false,
      true,
    ]);
    assertEquals([done, await sequence.next()], [[1, 2], 3]);
  }
});

test("each event is handled once, in sequence, whatever deliveries are mixed up, repeated or lost", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.record({ pick: fc.nat(), together: fc.boolean() }), { maxLength: 30 }),
      fc.array(fc.boolean(), { maxLength: 6 }),
      async (count, deliveries, failures) => {
        const done: number[] = [];
        const failing = [...failures];
        const sequence = sequenceInMemory();
        // The effect of a failed step is rolled back with its transaction.
        const receiver = open(
          {
            ...sequence,
            step: (number, work) =>
              sequence.step(number, () => rollBackOnError(done, () => work(undefined))),
          },
          (number) => void done.push(number),
          () => count,
          () => failing.pop() ?? false,
        );
        let inFlight: Promise<unknown>[] = [];
        for (const { pick, together } of deliveries) {
          inFlight.push(receiver.receive(await deliveryOf(1 + pick % count)));
          if (together) continue;
          await Promise.all(inFlight);
          inFlight = [];
        }
        await Promise.all(inFlight);
        // The service repeats deliveries without a 2xx, at least that of the last event.
        for (let tries = 0; tries < 8; tries++) {
          if ((await receiver.receive(await deliveryOf(count))).status === 204) break;
        }
        assertEquals(done, upTo(count));
      },
    ),
    { numRuns: 150 },
  );
});

async function rollBackOnError(done: number[], work: () => Promise<void>): Promise<void> {
  const before = done.length;
  try {
    await work();
  } catch (error) {
    done.length = before;
    throw error;
  }
}

test("a gap is fetched in one page, and a late delivery is acknowledged as seen", async () => {
  const done: number[] = [];
  const receiver = open(sequenceInMemory(), (number) => void done.push(number), () => 60);
  assertEquals(await receiver.receive(await deliveryOf(50)), { status: 204 });
  assertEquals([done, receiver.requests], [upTo(50), [{ afterSequence: 0, limit: 49 }]]);
  const late = await receiver.receive(await deliveryOf(7));
  assertEquals(late, { status: 204, reason: "seen_before" });
  const handler = createWebhookHandler(receiver.receive);
  const { headers, body } = await deliveryOf(52);
  const request = (text: string) =>
    handler(new Request("https://bank.example/", { method: "POST", headers, body: text }));
  assertEquals((await request(body)).status, 204);
  assertEquals((await request("{}")).status, 401);
  assertEquals(done, upTo(52));
  assertEquals(
    (await receiver.receive(await deliveryOf(70))).status,
    500,
    "there is no such event",
  );
});

test("in PostgreSQL each event's effect is written once, with two processes that fail", async () => {
  let calls = 0;
  const fails = () => ++calls % 4 === 0;
  const processes = [0, 1].map(() => open(store("two"), write("two"), () => 20, fails));
  for (const number of [3, 1, 2, 9, 4, 4, 12, 20]) {
    const delivery = await deliveryOf(number);
    await Promise.all(processes.map(({ receive }) => receive(delivery)));
  }
  for (const { receive } of processes) {
    for (let n = 0; n < 20 && (await receive(await deliveryOf(20))).status !== 204; n++);
  }
  assertEquals((await effects("two")).sort((a, b) => a - b), upTo(20));
  assert(calls > 20, "some failed");
});
