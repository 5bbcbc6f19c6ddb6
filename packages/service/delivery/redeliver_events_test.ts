import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatId } from "@sabika/protocol";
import { holdLock } from "../../../test/support/hold_lock.ts";
import { sized } from "../../../test/support/sized.ts";
import { codeOf } from "../../../test/support/test_market.ts";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { testPartner } from "../../../test/support/test_partner.ts";
import { untilWaiting } from "../../../test/support/until_waiting.ts";
import type { Behaviour, Received } from "../../../test/support/webhook_receiver.ts";
import type { RedeliverCommand } from "../batches/commands.ts";
import { MOVED } from "../batches/moved.ts";
import { enableOwnWebhook } from "./enable_webhook.ts";
import { redeliverEvents } from "./redeliver_events.ts";

const outbox = await openTestOutbox();
after(() => outbox.close());
const { database, app } = outbox.test;

/** More than one request may ask for (Decision D35). */
const LAST = 1_002;

test("a range is sent again once for each key, of up to a thousand events behind the cursor", async () => {
  const { sql } = database;
  const partnerId = await outbox.addPartner("https://127.0.0.1:9000/");
  await outbox.writePings(partnerId, LAST);
  const range = fc.record({
    from: fc.constantFrom(1, 2, 3, 500, LAST - 1, LAST, LAST + 1),
    count: fc.constantFrom(1, 2, 500, 999, 1_000, 1_001),
    next: fc.constantFrom(1, 2, 3, 501, 1_000, 1_001, LAST, LAST + 1),
  });
  await fc.assert(
    fc.asyncProperty(range, async ({ from, count, next }) => {
      const to = from + count - 1;
      await sql`delete from event_deliveries where partner_id = ${partnerId}`;
      await sql`update webhook_lanes set next_sequence = ${next}, next_attempt_at = 'infinity'
        where partner_id = ${partnerId}`;
      const command = {
        ...testPartner(partnerId).fund(1n),
        request: { fromSequence: from, toSequence: to },
      };
      const isAllowed = count <= 1_000 && to <= LAST;
      for (const replayed of [false, true]) {
        const outcome = await redeliverEvents(app, command);
        assertEquals(codeOf(outcome), isAllowed ? "ok" : "invalid_request");
        if (outcome.ok) assertEquals([outcome.replayed, outcome.value.count], [replayed, count]);
      }
      const requested = await sql<{ first: number | null; count: number }[]>`
        select min(sequence)::int as first, count(*)::int from event_deliveries
        where partner_id = ${partnerId} and state = 'requested'`;
      // Later events wait in the lane, which is due.
      const behind = isAllowed ? Math.max(0, Math.min(to, next - 1) - from + 1) : 0;
      assertEquals(requested.map((row) => ({ ...row })), [
        { first: behind > 0 ? from : null, count: behind },
      ]);
      const [lane] = await sql`select next_attempt_at = 'infinity' as waits from webhook_lanes
        where partner_id = ${partnerId}`;
      assertEquals(lane!.waits, !isAllowed || to < next);
    }),
    { numRuns: sized(25, 300) },
  );
});

/** What concerns the endpoint and not only its event, and how many events may be in flight. */
const TROUBLES: readonly (readonly [string, number, Behaviour])[] = [
  ["asks for a pause", 2, { status: 503 }],
  ["is away", 1, (request) => request.socket.destroy()],
];

/** How it goes on, in the same moment or later. */
const ENDS: readonly (readonly [string, (partnerId: number) => PromiseLike<unknown> | number])[] = [
  ["its pause is over", () => outbox.clock.ms += 1_000],
  ["it is enabled", (id) => database.sql`select enable_webhook(${id}::integer, now())`],
];

for (const [trouble, inFlight, behaviour] of TROUBLES) {
  for (const [end, goOn] of ENDS) {
    test(`events requested again wait while the endpoint ${trouble}, until ${end}`, async () => {
      const receiver = await outbox.receiver();
      const url = `https://127.0.0.1:${receiver.port}/`;
      const partnerId = await outbox.addPartner(url, inFlight);
      const worker = outbox.worker();
      const written = await outbox.writePings(partnerId, 3);
      const indexOf = ({ headers }: Received) =>
        written.findIndex((id) => id === headers["webhook-id"]);
      const sent = async () => {
        await worker.runDue();
        return [...new Set(receiver.received.splice(0).map(indexOf))].toSorted();
      };
      assertEquals(await sent(), [0, 1, 2]);
      for (const id of written) assert(await outbox.redeliver(partnerId, id));
      receiver.behave = (received) => indexOf(received) === 0 ? behaviour : { status: 204 };
      const tried = await sent();
      assert(tried.includes(0) && !tried.includes(2), tried.join());
      receiver.behave = () => ({ status: 204 });
      await goOn(partnerId);
      assertEquals(await sent(), [0, 1, 2].filter((n) => n === 0 || !tried.includes(n)));
    });
  }
}

/** What comes while an attempt is under way, at an event of which so many have failed. */
const MEANWHILES: readonly (readonly [
  string,
  number,
  (partnerId: number, event: string) => Promise<unknown>,
])[] = [
  ["the endpoint is enabled", 0, async (id) => {
    await database.sql`select enable_webhook(${id}::integer, now())`;
  }],
  ["the event is requested again", 10, (id, event) => outbox.redeliver(id, event)],
  ["another worker delivers it", 10, (_id) => {
    outbox.clock.ms += 6_000;
    return outbox.worker().runDue();
  }],
];

for (const [what, attempts, comes] of MEANWHILES) {
  test(`an attempt that fails does not undo that ${what} meanwhile`, async () => {
    const receiver = await outbox.receiver();
    const partnerId = await outbox.addPartner(`https://127.0.0.1:${receiver.port}/`);
    const worker = outbox.worker();
    const written = await outbox.writePings(partnerId, 3);
    await worker.runDue();
    for (const id of written) assert(await outbox.redeliver(partnerId, id));
    await database.sql`update event_deliveries set attempts = ${attempts}
      where partner_id = ${partnerId} and sequence = 1`;
    receiver.received.length = 0;
    receiver.behave = () => {
      receiver.behave = () => ({ status: 204 });
      return (_request, response) => {
        const end = () => response.writeHead(500).end();
        comes(partnerId, written[0]!).then(end, end);
      };
    };
    await worker.runDue();
    const sent = receiver.received.map(({ headers }) => headers["webhook-id"]);
    assertEquals(sent, [written[0], ...written]);
    const states = (await outbox.deliveries(partnerId)).map(({ state }) => state);
    assertEquals(states, ["delivered", "delivered", "delivered"]);
  });
}

test("an event that is sent again leaves the pause of the endpoint, at whose end the next is due", async () => {
  const receiver = await outbox.receiver();
  const partnerId = await outbox.addPartner(`https://127.0.0.1:${receiver.port}/`);
  const worker = outbox.worker();
  const [first, second] = await outbox.writePings(partnerId, 2);
  const isFirst = ({ headers }: Received) => headers["webhook-id"] === first;
  receiver.behave = (received) => ({ status: isFirst(received) ? 204 : 503 });
  await worker.runDue();
  const paused = await outbox.lane(partnerId);
  assertEquals([paused.next, paused.attempts], [2, 1]);
  receiver.behave = () => ({ status: 204 });
  assert(await outbox.redeliver(partnerId, first!));
  receiver.received.length = 0;
  await worker.runDue();
  assertEquals(receiver.received.map(({ headers }) => headers["webhook-id"]), [first]);
  assertEquals(await outbox.lane(partnerId), paused);
  outbox.clock.ms = paused.nextAttemptMs;
  await worker.runDue();
  assertEquals(receiver.received.at(-1)?.headers["webhook-id"], second);
});

const commandOf = (partnerId: number) => testPartner(partnerId).withdraw(1n);

test("an event that the cursor passes at that moment is sent again", async (t) => {
  if (database === app) return t.diagnostic("the embedded database has one session");
  const partnerId = await outbox.addPartner("https://127.0.0.1:9000/");
  await outbox.writePings(partnerId, 4);
  const release = await holdLock(
    database,
    (tx) => tx`update webhook_lanes set next_sequence = 4 where partner_id = ${partnerId}`,
  );
  const command = { ...commandOf(partnerId), request: { fromSequence: 2, toSequence: 4 } };
  const requested = redeliverEvents(app, command);
  await untilWaiting(database);
  await release();
  assertEquals(codeOf(await requested), "ok");
  assertEquals((await outbox.deliveries(partnerId)).map(({ sequence }) => sequence), [2, 3]);
});

test("a key stands for one event that is sent again, or for one range", async () => {
  const partnerId = await outbox.addPartner("https://127.0.0.1:9000/");
  const written = await outbox.writePings(partnerId, 3);
  const eventId = written[1]!.slice(4);
  const command = { ...commandOf(partnerId), request: { eventId } };
  const value = { fromSequence: 2, toSequence: 2, count: 1 };
  assertEquals(await redeliverEvents(app, command), { ok: true, replayed: false, value });
  assertEquals(await redeliverEvents(app, command), { ok: true, replayed: true, value });
  const refused = async (
    request: RedeliverCommand["request"],
    given: Partial<RedeliverCommand> = {},
  ) => {
    const outcome = await redeliverEvents(app, { ...commandOf(partnerId), ...given, request });
    assert(!outcome.ok);
    return outcome;
  };
  const conflict = await refused(
    { fromSequence: 3, toSequence: 2 },
    { idempotencyKey: command.idempotencyKey, parameters: "others" },
  );
  assertEquals([conflict.code, conflict.meta], [
    "idempotency_key_conflict",
    { resource_id: written[1] },
  ]);
  assertEquals((await refused({ eventId: crypto.randomUUID() })).code, "not_found");
  const ranges: [RedeliverCommand["request"], string][] = [
    [{ fromSequence: 3, toSequence: 2 }, "lies before from_sequence"],
    [{ fromSequence: 1, toSequence: 1_001 }, "makes more than 1000 events"],
    [{ fromSequence: 2, toSequence: 4 }, "is of no event yet"],
  ];
  for (const [request, message] of ranges) {
    const { code, errors } = await refused(request);
    assertEquals([code, errors], [
      "invalid_request",
      [{ pointer: "/to_sequence", code: "not_allowed", message }],
    ]);
  }
  await database.sql`delete from accounts where partner_id = ${partnerId}`;
  assertEquals(await redeliverEvents(app, command), MOVED);
});

test("a partner enables its webhook once with each key, and not what the operator disabled", async () => {
  const partnerId = await outbox.addPartner("https://127.0.0.1:9000/");
  const command = commandOf(partnerId);
  const eventId = crypto.randomUUID();
  const enable = (given: Partial<typeof command> = {}, id = crypto.randomUUID()) =>
    enableOwnWebhook(app, { id: "", command: { ...command, ...given }, eventId: id });
  const first = await enable({}, eventId);
  assert(first.ok);
  const { pingId, enabledAtMs } = first.value;
  assertEquals([first.replayed, pingId], [false, formatId("evt", eventId)]);
  assert(Math.abs(enabledAtMs - Date.now()) < 60_000, `${enabledAtMs}`);
  assertEquals(await enable(), { ...first, replayed: true });
  const kept = await database.sql<{ id: string }[]>`
    select evidence_id as id from evidence where partner_id = ${partnerId}`;
  assertEquals(kept.map(({ id }) => id), [eventId], "the request that was carried out is kept");
  const conflict = await enable({ parameters: "others" });
  assert(!conflict.ok);
  assertEquals([conflict.code, conflict.meta], [
    "idempotency_key_conflict",
    { resource_id: pingId },
  ]);
  await database.sql`update webhook_lanes set disabled_at = now(), disabled_reason = 'operator'
    where partner_id = ${partnerId}`;
  assertEquals(codeOf(await enable({ idempotencyKey: "another" })), "not_found");
  await database.sql`delete from accounts where partner_id = ${partnerId}`;
  assertEquals(await enable(), MOVED);
});

const WRITES: readonly (readonly [string, (partnerId: number) => Promise<{ ok: boolean }>])[] = [
  ["requests an event again", (partnerId) =>
    redeliverEvents(app, {
      ...commandOf(partnerId),
      request: { fromSequence: 1, toSequence: 1 },
    })],
  [
    "enables its webhook",
    (partnerId) =>
      enableOwnWebhook(app, {
        id: "",
        command: commandOf(partnerId),
        eventId: crypto.randomUUID(),
      }),
  ],
];

for (const [does, write] of WRITES) {
  test(`a partner that ${does} waits for an act on its rows without a deadlock`, async (t) => {
    if (database === app) return t.diagnostic("the embedded database has one session");
    const partnerId = await outbox.addPartner("https://127.0.0.1:9000/");
    await outbox.writePings(partnerId, 1);
    await database
      .sql`update webhook_lanes set next_attempt_at = 'infinity' where partner_id = ${partnerId}`;
    const written = await database.sql.begin(async (act) => {
      await act`select lock_accounts(${partnerId}::integer)`;
      const written = write(partnerId);
      await untilWaiting(database);
      await act`select enable_webhook(${partnerId}::integer, now())`;
      return { written };
    });
    assertEquals(codeOf(await written.written), "ok");
  });
}
