import { after, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { formatWebhookSecret, verifyWebhook } from "@sabika/protocol";
import { actsOn, clientIdOf } from "../../../test/support/acts.ts";
import { each } from "../../../test/support/each.ts";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import type { Received, TestReceiver } from "../../../test/support/webhook_receiver.ts";
import { ATTEMPT_OFFSETS_MS } from "./schedule.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
const ids = (received: Received[]) => received.map(({ headers }) => headers["webhook-id"]);
const sequences = (received: Received[]) => received.map(({ body }) => JSON.parse(body).sequence);

const outbox = await openTestOutbox();
after(() => outbox.close());

describe("the webhook worker", () => {
  let receiver: TestReceiver;

  /** Opens a receiver for one test, and admits a partner whose endpoint it is. */
  async function open() {
    receiver = await outbox.receiver({ dns: ["localhost"] });
    const partnerId = await outbox.addPartner(`https://127.0.0.1:${receiver.port}/hook?to=us`);
    return { partnerId, worker: outbox.worker() };
  }

  test("delivers events in sequence, signed so that standardwebhooks verifies them", async () => {
    const { partnerId, worker } = await open();
    const written = await outbox.writePings(partnerId, 120);
    await worker.runDue();
    assertEquals(ids(receiver.received), written);
    assertEquals(sequences(receiver.received), written.map((_, n) => n + 1));
    const [first] = receiver.received;
    assertEquals([first!.method, first!.path], ["POST", "/hook?to=us"]);
    const [secret] = outbox.secrets.get(partnerId)!;
    // The library reads the machine's clock; the test's clock is a minute ahead of it.
    const verified = new Webhook(secret!).verify(first!.body, first!.headers) as { data: unknown };
    assertEquals(verified.data, { object: { n: 0 } });
    assertEquals(receiver.connections, 1, "one connection for all of them");
    assertEquals((await outbox.lane(partnerId)).next, 121);
    await worker.runDue();
    assertEquals(receiver.received.length, 120, "nothing is sent twice");
  });

  test("delivers nothing while its clock, which signatures contain, is wrong (F18)", async () => {
    const { partnerId } = await open();
    let isClockGood = false;
    const worker = outbox.worker({ isClockGood: () => isClockGood });
    const written = await outbox.writePings(partnerId, 3);
    await worker.runDue();
    assertEquals(receiver.received, []);
    isClockGood = true;
    await worker.runDue();
    assertEquals(ids(receiver.received), written);
  });

  test("writes the body of Decision D33, and the same bytes at every attempt", async () => {
    const { partnerId, worker } = await open();
    const [id] = await outbox.writePings(partnerId, 1);
    receiver.behave = () => ({ status: 500 });
    await worker.runDue();
    receiver.behave = () => ({ status: 200 });
    outbox.clock.ms += 10 * SECOND;
    await worker.runDue();
    const [first, second] = receiver.received;
    assertEquals(first!.body, second!.body);
    assertEquals(first!.headers["webhook-id"], second!.headers["webhook-id"]);
    assertNotEquals(first!.headers["webhook-timestamp"], second!.headers["webhook-timestamp"]);
    const body = JSON.parse(first!.body);
    assertEquals(
      Object.keys(body),
      each("id type api_version environment sequence timestamp data"),
    );
    assertEquals([body.id, body.type, body.api_version, body.environment, body.sequence], [
      id!,
      "ping",
      "v1",
      "sandbox",
      1,
    ]);
  });

  test("delivers everything in sequence after the receiver was down for ten minutes (F73)", async () => {
    const { partnerId, worker } = await open();
    const port = receiver.port;
    await receiver.close();
    const written = await outbox.writePings(partnerId, 5);
    for (let minute = 0; minute < 10; minute++) {
      await worker.runDue();
      outbox.clock.ms += 60 * SECOND;
      written.push(...await outbox.writePings(partnerId, 1));
    }
    assertEquals((await outbox.lane(partnerId)).next, 1);
    receiver = await outbox.receiver({ port });
    outbox.clock.ms += 30 * 60 * SECOND;
    await worker.runDue();
    assertEquals(ids(receiver.received), written);
  });

  test("tries an event on the schedule of Decision D35 until it is exhausted (F75)", async () => {
    const { partnerId, worker } = await open();
    const [id] = await outbox.writePings(partnerId, 1);
    receiver.behave = () => ({ status: 500 });
    const startMs = outbox.clock.ms;
    const seen: number[] = [];
    for (let step = 0; step < 24 * 60 + 10; step++) {
      const before = receiver.received.length;
      await worker.runDue();
      if (receiver.received.length > before) seen.push(outbox.clock.ms - startMs);
      // The clock moves to the next attempt that the database has; without one, the loop ends.
      const [due] = await outbox.test.database.sql<{ ms: number | null }[]>`
        select (extract(epoch from min(at)) * 1000)::float8 as ms from (
          select next_attempt_at as at from event_deliveries where partner_id = ${partnerId}
          union all select next_attempt_at from webhook_lanes l join accounts a using (partner_id)
            where partner_id = ${partnerId} and next_sequence <= last_event) as times`;
      if (due?.ms == null) break;
      outbox.clock.ms = Math.max(outbox.clock.ms, due.ms);
    }
    assertEquals(seen, [...ATTEMPT_OFFSETS_MS]);
    assertEquals(await outbox.deliveries(partnerId), [{
      sequence: 1,
      state: "exhausted",
      attempts: ATTEMPT_OFFSETS_MS.length,
    }]);
    assert(await outbox.redeliver(partnerId, id!));
    await worker.runDue();
    outbox.clock.ms += SECOND / 2;
    await worker.runDue();
    const [again] = await outbox.deliveries(partnerId);
    assertEquals(again!.attempts, 2, "its schedule begins anew when it is requested again");
  });

  test("parks an event that a working endpoint refuses, and delivers its successors", async () => {
    const { partnerId, worker } = await open();
    const [poison, ...others] = await outbox.writePings(partnerId, 4);
    receiver.behave = ({ headers }) => ({ status: headers["webhook-id"] === poison ? 422 : 204 });
    for (const pause of [0, 6 * SECOND, 400 * SECOND]) {
      outbox.clock.ms += pause;
      await worker.runDue();
    }
    assertEquals(ids(receiver.received), [poison!, poison!, poison!, ...others]);
    assertEquals((await outbox.lane(partnerId)).next, 5);
    receiver.behave = () => ({ status: 200 });
    outbox.clock.ms += HOUR;
    await worker.runDue();
    assertEquals(ids(receiver.received).at(-1), poison);
    assertEquals(await outbox.deliveries(partnerId), [{
      sequence: 1,
      state: "delivered",
      attempts: 4,
    }]);
  });

  test("honours Retry-After and keeps the sequence meanwhile (F75: 429)", async () => {
    const { partnerId, worker } = await open();
    const written = await outbox.writePings(partnerId, 2);
    receiver.behave = () => ({ status: 429, headers: { "retry-after": "3600" } });
    const startMs = outbox.clock.ms;
    await worker.runDue();
    outbox.clock.ms = startMs + 3_599 * SECOND;
    await worker.runDue();
    assertEquals(receiver.received.length, 1);
    receiver.behave = () => ({ status: 204 });
    outbox.clock.ms = startMs + 3_600 * SECOND;
    await worker.runDue();
    assertEquals(ids(receiver.received), [written[0], ...written]);
  });

  test("follows no redirect (F75: 301, 302, 307, 308)", async () => {
    const { partnerId, worker } = await open();
    const trap = await outbox.receiver();
    await outbox.writePings(partnerId, 1);
    const targets = [
      `https://127.0.0.1:${trap.port}/`,
      "http://127.0.0.1/",
      "/elsewhere",
      "//evil.example/",
    ];
    for (const [n, status] of [301, 302, 307, 308].entries()) {
      receiver.behave = () => ({ status, headers: { location: targets[n]! } });
      await worker.runDue();
      outbox.clock.ms += 2 * HOUR;
    }
    assertEquals(receiver.received.map(({ path }) => path), Array(4).fill("/hook?to=us"));
    assertEquals(trap.received.length, 0);
    assertEquals((await outbox.deliveries(partnerId))[0]?.state, "failing");
  });

  test("disables an endpoint that answers 410, and delivers again after it is enabled (F75)", async () => {
    const { partnerId, worker } = await open();
    const written = await outbox.writePings(partnerId, 2);
    receiver.behave = () => ({ status: 410 });
    await worker.runDue();
    outbox.clock.ms += 30 * HOUR;
    await worker.runDue();
    assertEquals(receiver.received.length, 1);
    assertEquals((await outbox.lane(partnerId)).disabledReason, "HTTP 410");
    assert(outbox.logged.some((line) => line.startsWith("error webhook endpoint disabled")));
    receiver.behave = () => ({ status: 204 });
    const partner = await clientIdOf(outbox.test.database, partnerId);
    assert((await actsOn(outbox.test.database)("webhook.enable", { partner })).ok);
    await worker.runDue();
    assertEquals(ids(receiver.received), [written[0], ...written]);
  });

  test("signs with every valid secret during a rotation, and then only with the new one (F79)", async () => {
    const { partnerId, worker } = await open();
    const [old] = outbox.secrets.get(partnerId)!;
    const fresh = formatWebhookSecret(crypto.getRandomValues(new Uint8Array(32)));
    const nowSeconds = () => Math.floor(outbox.clock.ms / 1000);
    const verifies = async (received: Received | undefined, secret: string | undefined) => {
      const headers = new Headers(received!.headers);
      const webhook = {
        secrets: [secret!],
        headers,
        body: received!.body,
        nowSeconds: nowSeconds(),
      };
      return (await verifyWebhook(webhook)).ok;
    };
    outbox.secrets.set(partnerId, [fresh, old!]);
    await outbox.writePings(partnerId, 1);
    await worker.runDue();
    const during = receiver.received.at(-1);
    assertEquals([await verifies(during, old), await verifies(during, fresh)], [true, true]);
    outbox.secrets.set(partnerId, [fresh]);
    await outbox.writePings(partnerId, 1);
    await worker.runDue();
    const later = receiver.received.at(-1);
    assertEquals([await verifies(later, old), await verifies(later, fresh)], [false, true]);
  });

  test("holds the lane and sends nothing while there is no secret to sign with", async () => {
    const { partnerId, worker } = await open();
    outbox.secrets.delete(partnerId);
    await outbox.writePings(partnerId, 1);
    await worker.runDue();
    assertEquals(receiver.received.length, 0);
    assert(outbox.logged.at(-1)?.includes("no_valid_secret"));
  });

  test("sends an event again on request, under the same id, and none of another partner", async () => {
    const { partnerId, worker } = await open();
    const written = await outbox.writePings(partnerId, 3);
    await worker.runDue();
    const { sql } = outbox.test.database;
    assert(await outbox.redeliver(partnerId, written[1]!));
    assert(await outbox.redeliver(partnerId, written[1]!), "asking twice is asking once");
    await worker.runDue();
    await worker.runDue();
    assertEquals(ids(receiver.received), [...written, written[1]]);
    assertEquals(receiver.received[1]!.body, receiver.received[3]!.body);
    const other = await outbox.addPartner(null);
    assertEquals(await outbox.redeliver(other, written[1]!), false);
    receiver.received.length = 0;
    await sql`select redeliver_events(${partnerId}::integer, 2::bigint, 3::bigint, now())`;
    await worker.runDue();
    assertEquals(ids(receiver.received), written.slice(1));
  });

  test("attempts a waiting event at once when its redelivery is requested", async () => {
    const { partnerId, worker } = await open();
    const [id] = await outbox.writePings(partnerId, 1);
    receiver.behave = () => ({ status: 503 });
    await worker.runDue();
    receiver.behave = () => ({ status: 204 });
    assert(await outbox.redeliver(partnerId, id!));
    await worker.runDue();
    assertEquals(ids(receiver.received), [id, id]);
  });

  test("does not deliver events from before the first endpoint", async () => {
    receiver = await outbox.receiver();
    const [partnerId, worker] = [await outbox.addPartner(null), outbox.worker()];
    await outbox.writePings(partnerId, 3);
    const { database } = outbox.test;
    const partner = await clientIdOf(database, partnerId);
    const url = `https://127.0.0.1:${receiver.port}/`;
    assert((await actsOn(database)("webhook.set", { partner, url })).ok);
    const [fresh] = await outbox.writePings(partnerId, 1);
    await worker.runDue();
    assertEquals(ids(receiver.received), [fresh]);
  });

  test("logs no body, secret or signature", () => {
    const all = outbox.logged.join("\n");
    assert(!all.includes("whsec_") && !all.includes("v1,") && !all.includes('"n":'));
  });
});
