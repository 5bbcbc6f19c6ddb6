import { after, describe, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { uuidV7 } from "@sabika/protocol";
import { rowsRead } from "../../../test/support/rows_read.ts";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { recordDelivery, recordFailure, recordScheduledFailure } from "./event_deliveries.ts";
import {
  advanceCursor,
  disableLane,
  holdLane,
  leaseLanes,
  releaseLane,
  renewLeases,
  skipEvent,
} from "./webhook_lanes.ts";

const LEASE_MS = 5_000;

const outbox = await openTestOutbox();
after(() => outbox.close());

describe("leases of webhook lanes", () => {
  const newOwner = () => uuidV7(0, (length) => crypto.getRandomValues(new Uint8Array(length)));
  const lease = (owner: string, except: number[] = []) => {
    const { ms } = outbox.clock;
    const by = { owner, nowMs: ms, untilMs: ms + LEASE_MS, except, limit: 10 };
    return leaseLanes(outbox.test.app.sql, by);
  };

  test("a renewed lease stays with its owner, and another worker gets an expired one within seconds", async () => {
    const { sql } = outbox.test.app;
    const partners: number[] = [];
    for (let n = 0; n < 2; n++) {
      partners.push(await outbox.addPartner("https://127.0.0.1:9000/"));
      await outbox.writePings(partners[n]!, 3);
    }
    const [first, second] = [newOwner(), newOwner()];
    const mine = await lease(first);
    assertEquals(mine.map(({ partnerId }) => partnerId).toSorted(), partners);
    assertEquals(await lease(second), []);
    outbox.clock.ms += LEASE_MS - 1_000;
    const kept = mine.find(({ partnerId }) => partnerId === partners[0])!;
    const left = mine.find(({ partnerId }) => partnerId === partners[1])!;
    await renewLeases(sql, [kept], outbox.clock.ms + LEASE_MS);
    await renewLeases(sql, [], outbox.clock.ms);
    outbox.clock.ms += 2_000;
    assertEquals(
      await lease(second, [partners[1]!]),
      [],
      "what it has already it does not take again",
    );
    const [taken] = await lease(second);
    assertEquals(taken?.partnerId, partners[1]);

    await renewLeases(sql, [kept, left], outbox.clock.ms + LEASE_MS);
    assertEquals([kept.leasedUntilMs, left.leasedUntilMs], [outbox.clock.ms + LEASE_MS, -Infinity]);
    assertEquals(await advanceCursor(sql, left, 3n), false);
    const failed = { sequence: 1n, attempts: 1, atMs: 0, status: 500, reason: "HTTP 500" };
    assertEquals(await skipEvent(sql, left, failed, null), false);
    await holdLane(sql, left, failed, outbox.clock.ms);
    await disableLane(sql, left, failed);
    assertEquals(left.nextSequence, 1n);
    assertEquals(await recordDelivery(sql, left, { sequence: 1n, atMs: 0, status: 204 }), false);
    assertEquals(await outbox.deliveries(partners[1]!), []);
    left.settledTo = 3n;
    await releaseLane(sql, left, outbox.clock.ms);
    const { next, attempts, disabledReason } = await outbox.lane(partners[1]!);
    assertEquals([next, attempts, disabledReason], [1, 0, null]);
    assertEquals(await advanceCursor(sql, taken!, 2n), true);
    const another = { ...failed, attempts: 2 };
    await recordFailure(sql, partners[1]!, failed, "failing", 0);
    for (const [lane, isRecorded] of [[left, false], [taken!, true]] as const) {
      assertEquals(await recordScheduledFailure(sql, lane, another, 0), isRecorded);
      const delivered = { sequence: 1n, atMs: 0, status: 204 };
      assertEquals(await recordDelivery(sql, lane, delivered), isRecorded);
    }
    await sql`update webhook_lanes set next_sequence = 1 where partner_id = ${partners[1]!}`;
    assertEquals(await advanceCursor(sql, taken!, 3n), false, "a crash lost where the cursor was");
    await releaseLane(sql, Object.assign(taken!, { settledTo: 3n }), outbox.clock.ms);
    assertEquals((await outbox.lane(partners[1]!)).next, 1);
    await releaseLane(sql, kept, outbox.clock.ms);
    const leasedLast = await lease(newOwner());
    assertEquals(leasedLast.map(({ partnerId }) => partnerId).toSorted(), partners);
  });

  test("a lease reads few of the events that wait for an endpoint, however many they are", async () => {
    const { database } = outbox.test;
    const [waiting, other] = [
      await outbox.addPartner("https://127.0.0.1:9000/"),
      await outbox.addPartner("https://127.0.0.1:9000/"),
    ];
    await outbox.writePings(other, 1);
    await outbox.writePings(waiting, 10_000);
    await database.sql`insert into event_deliveries (partner_id, sequence, state, next_attempt_at)
      select partner_id, sequence, 'requested', 'epoch' from events where partner_id = ${waiting}`;
    await database.sql`update webhook_lanes set disabled_at = now() where partner_id = ${waiting}`;
    await database.sql`analyze event_deliveries`;
    const by = {
      owner: newOwner(),
      nowMs: outbox.clock.ms,
      untilMs: outbox.clock.ms + LEASE_MS,
      except: [],
      limit: 1,
    };
    const { rows, shown } = await rowsRead(
      database,
      ({ sql }) => leaseLanes(sql, by),
      ["event_deliveries"],
    );
    assertEquals(shown.map(({ partnerId }) => partnerId), [other]);
    assert(rows < 10, `${rows} rows`);
  });
});
