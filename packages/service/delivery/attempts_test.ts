import { after, describe, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { DeliveryAttempt } from "@sabika/protocol";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import type { Behaviour } from "../../../test/support/webhook_receiver.ts";
import { maintainAttemptPartitions } from "./attempt_log.ts";
import { readEndpointStates } from "./endpoint_states.ts";
import { listAttempts } from "./read_attempts.ts";
import { getEvent, listEvents } from "./read_events.ts";

const HOUR = 3_600_000;
/** The time limit of attempts that are to exceed it. */
const SHORT_MS = 400;
/** The time limit of attempts that end earlier: nothing waits this long. */
const TIMEOUT_MS = 60_000;

const outbox = await openTestOutbox();
const receiver = await outbox.receiver();
after(() => outbox.close());

describe("attempts to deliver (Decision D54)", () => {
  async function open(behave: () => Behaviour = () => ({ status: 204 }), inFlight = 1) {
    receiver.behave = behave;
    const partnerId = await outbox.addPartner(`https://127.0.0.1:${receiver.port}/`, inFlight);
    return { partnerId, worker: outbox.worker({ timeoutMs: TIMEOUT_MS }) };
  }

  async function attemptsAt(partnerId: number, id: string, limit = 100) {
    const listing = await listAttempts(outbox.test.app, { partnerId, eventId: id.slice(4), limit });
    assert(listing?.ok);
    return listing.page.data;
  }

  const eventOf = (partnerId: number, id: string) =>
    getEvent(outbox.test.app, { partnerId, eventId: id.slice(4), environment: "sandbox" });

  test("an event accepted at the first attempt has its time, its address and one attempt", async () => {
    const { partnerId, worker } = await open(undefined, 8);
    const written = await outbox.writePings(partnerId, 30);
    const atMs = outbox.clock.ms;
    await worker.runDue();
    const listing = await listEvents(outbox.test.app, {
      partnerId,
      limit: 100,
      environment: "sandbox",
    });
    assert(listing.ok);
    assertEquals(
      listing.page.data.map(({ delivery }) => delivery),
      written.map(() => ({
        status: "delivered" as const,
        attempts: 1,
        nextAttemptAtMs: null,
        deliveredAtMs: atMs,
      })),
    );
    assertEquals(await attemptsAt(partnerId, written[29]!), [{
      attemptedAtMs: atMs,
      durationMs: 0,
      status: 204,
      failure: null,
      address: `127.0.0.1:${receiver.port}`,
    }]);
  });

  test("the attempts show when and where an event was first accepted, and later redeliveries", async () => {
    const { partnerId, worker } = await open(() => ({ status: 500 }));
    const [id] = await outbox.writePings(partnerId, 1);
    await worker.runDue();
    outbox.clock.ms += HOUR;
    receiver.behave = () => ({ status: 200 });
    await worker.runDue();
    const acceptedAtMs = outbox.clock.ms;
    outbox.clock.ms += HOUR;
    assert(await outbox.redeliver(partnerId, id!));
    // Like another process, a new worker has nothing in memory.
    await outbox.worker().runDue();
    assertEquals((await eventOf(partnerId, id!))?.delivery, {
      status: "delivered",
      attempts: 3,
      nextAttemptAtMs: null,
      deliveredAtMs: acceptedAtMs,
    });
    const attempts = await attemptsAt(partnerId, id!);
    assertEquals(attempts.map(({ status, failure }) => [status, failure]), [
      [200, null],
      [200, null],
      [500, "error_answer"],
    ]);
  });

  test("an event that failed before its endpoint was enabled is listed as delivered after it", async () => {
    const { partnerId, worker } = await open(() => ({ status: 503 }));
    const [id] = await outbox.writePings(partnerId, 1);
    await worker.runDue();
    outbox.clock.ms += HOUR;
    await worker.runDue();
    const { database } = outbox.test;
    const [failing] = await readEndpointStates(database.sql, outbox.clock.ms, partnerId);
    assertEquals([failing!.status, failing!.pendingEvents], ["failing", 1]);
    await database.sql`select enable_webhook(${partnerId}::integer, now())`;
    receiver.behave = () => ({ status: 204 });
    await worker.runDue();
    const delivered = { sequence: 1, state: "delivered" };
    assertEquals(
      (await outbox.deliveries(partnerId)).map(({ sequence, state }) => ({ sequence, state })),
      [delivered],
    );
    assertEquals((await eventOf(partnerId, id!))?.delivery?.status, "delivered");
  });

  test("an endpoint has been failing since the first of the failures that are recorded together", async () => {
    const { sql } = outbox.test.database;
    const { partnerId } = await open();
    const of = (value: string | number) => `{${value},${value}}`;
    const firstMs = outbox.clock.ms;
    await sql`select record_attempts(${of(partnerId)}, '{2,1}', array[${firstMs + 7}::bigint,
      ${firstMs}::bigint], '{5,5}', '{500,500}', '{"HTTP 500","HTTP 500"}', '{NULL,NULL}')`;
    const [state] = await readEndpointStates(sql, outbox.clock.ms, partnerId);
    assertEquals([state!.status, state!.sinceMs], ["failing", firstMs]);
  });

  test("a failure is recorded as a class, without anything that the endpoint sent", async () => {
    const secret = "do not keep this";
    const cases: [Behaviour, DeliveryAttempt["failure"], number | null][] = [
      [{ status: 410, body: secret }, "gone", 410],
      [{ status: 429, body: secret }, "busy", 429],
      [{ status: 302, headers: { location: `https://x.example/${secret}` } }, "redirect", 302],
      [{ status: 422, body: secret }, "error_answer", 422],
      [() => {}, "timeout", null],
      [(request) => request.socket.destroy(), "closed", null],
      [(request) => request.socket.end("SSH-2.0-OpenSSH_9.6\r\n"), "not_http", null],
    ];
    for (const [behaviour, failure, status] of cases) {
      const { partnerId } = await open(() => behaviour);
      const [id] = await outbox.writePings(partnerId, 1);
      const timeoutMs = failure === "timeout" ? SHORT_MS : TIMEOUT_MS;
      await outbox.worker({ timeoutMs }).runDue();
      const [attempt] = await attemptsAt(partnerId, id!);
      const address = `127.0.0.1:${receiver.port}`;
      assertEquals({ ...attempt, attemptedAtMs: 0, durationMs: 0 }, {
        attemptedAtMs: 0,
        durationMs: 0,
        status,
        failure,
        address,
      });
    }
    const kept = await outbox.test.database.sql`select * from webhook_attempts`;
    assertEquals(
      JSON.stringify(kept, (_, value) => typeof value === "bigint" ? 0 : value).includes(secret),
      false,
    );
  });

  test("an attempt without a connection has no address, but a reason", async () => {
    const { partnerId, worker } = await open();
    const { sql } = outbox.test.database;
    const attempt = async (url: string) => {
      await sql`update partners set webhook_url = ${url} where partner_id = ${partnerId}`;
      const [id] = await outbox.writePings(partnerId, 1);
      await sql`update webhook_lanes set next_sequence =
        (select last_event from accounts where partner_id = ${partnerId}), attempts = 0,
        next_attempt_at = now() where partner_id = ${partnerId}`;
      await worker.runDue();
      const [{ failure, address } = { failure: "none", address: "none" }] = await attemptsAt(
        partnerId,
        id!,
      );
      return [failure, address];
    };
    assertEquals(await attempt("https://10.0.0.1/"), ["address_not_allowed", null]);
    assertEquals(await attempt("https://127.0.0.1:1024/"), ["unreachable", null]);
  });

  test("attempts are listed by pages, and a waiting event is not due before its creation", async () => {
    const { partnerId, worker } = await open(() => ({ status: 503 }));
    const [id] = await outbox.writePings(partnerId, 1);
    const waiting = await eventOf(partnerId, id!);
    assert(waiting!.delivery!.nextAttemptAtMs! >= waiting!.timestampMs);
    for (let n = 0; n < 3; n++) {
      await worker.runDue();
      outbox.clock.ms += HOUR;
    }
    const query = { partnerId, eventId: id!.slice(4), limit: 2 };
    const first = await listAttempts(outbox.test.app, query);
    assert(first?.ok && first.page.nextCursor !== null);
    const second = await listAttempts(outbox.test.app, { ...query, cursor: first.page.nextCursor });
    assert(second?.ok);
    const pages = [...first.page.data, ...second.page.data];
    assertEquals([pages.length, second.page.nextCursor], [3, null]);
    assertEquals(pages, await attemptsAt(partnerId, id!));
    const stranger = await outbox.addPartner(null);
    assertEquals(await listAttempts(outbox.test.app, { ...query, partnerId: stranger }), undefined);
  });

  test("an event says how its delivery stands, by the cursor and its own schedule", async () => {
    const { sql } = outbox.test.database;
    const partnerId = await outbox.addPartner(`https://127.0.0.1:${receiver.port}/`);
    await outbox.writePings(partnerId, 8);
    const soonMs = Date.now() + HOUR;
    const soon = new Date(soonMs).toISOString();
    const standing = async (change: Promise<unknown>) => {
      await change;
      const query = { partnerId, limit: 8, environment: "sandbox" } as const;
      const listing = await listEvents(outbox.test.app, query);
      assert(listing.ok);
      return listing.page.data.toReversed().map(({ delivery }) => Object.values(delivery!));
    };
    const waits = ["pending", 0, null, null];
    const passed = ["delivered", 1, null, null];
    await sql`insert into event_deliveries (partner_id, sequence, state, attempts, next_attempt_at,
        last_attempt_at)
      values (${partnerId}, 2, 'delivered', 4, null, ${soon}),
        (${partnerId}, 3, 'exhausted', 11, null, ${soon}),
        (${partnerId}, 4, 'failing', 2, ${soon}, now()),
        (${partnerId}, 6, 'failing', 3, null, now())`;
    const lane = (next: number) =>
      sql`update webhook_lanes set next_sequence = ${next}, next_attempt_at = ${soon}
        where partner_id = ${partnerId}`;
    const scheduled = [
      ["delivered", 4, null, soonMs],
      ["exhausted", 11, null, null],
      ["pending", 2, soonMs, null],
    ];
    assertEquals(await standing(lane(6)), [
      passed,
      ...scheduled,
      passed,
      ["pending", 3, soonMs, null],
      waits,
      waits,
    ]);
    assertEquals((await standing(lane(7)))[6], ["pending", 0, soonMs, null]);
    const disable =
      sql`update webhook_lanes set disabled_at = now() where partner_id = ${partnerId}`;
    assertEquals((await standing(disable))[6], waits);
    const without = sql`delete from webhook_lanes where partner_id = ${partnerId}`;
    assertEquals(await standing(without), [
      waits,
      ...scheduled,
      waits,
      ["pending", 3, null, null],
      waits,
      waits,
    ]);
  });

  test("an attempt under way when its partner leaves the cell is not recorded there", async () => {
    const { sql } = outbox.test.database;
    const { partnerId, worker } = await open(() => (_request, response) => {
      void sql`delete from webhook_lanes where partner_id = ${partnerId}`
        .then(() => response.writeHead(204).end());
    });
    await outbox.writePings(partnerId, 1);
    await worker.runDue();
    const kept = await sql`select from webhook_attempts where partner_id = ${partnerId}`;
    assertEquals(kept.length, 0);
  });

  test("attempts are dropped by whole days, after the retention and never within a week", async () => {
    const { sql } = outbox.test.database;
    const day = (ago: number) => Date.now() - ago * 24 * HOUR;
    const daysAgo = [100, 91, 89, 8, 6];
    for (const ago of daysAgo) {
      await sql`select record_attempts('{1}', '{1}', array[${day(ago)}::bigint], '{5}', '{204}',
        '{NULL}', '{NULL}')`;
    }
    const kept = async (retentionDays: number) => {
      await maintainAttemptPartitions(outbox.test.app.sql, retentionDays);
      const rows = await sql<{ days: number }[]>`
        select round(extract(epoch from now() - attempted_at) / 86400)::int as days
        from webhook_attempts where attempted_at < now() - interval '2 days' order by 1 desc`;
      return rows.map(({ days }) => days);
    };
    assertEquals(await kept(90), [89, 8, 6]);
    assertEquals(await kept(0), [6]);
  });
});
