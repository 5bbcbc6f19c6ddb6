import { after, describe, test } from "node:test";
import { assertEquals } from "@std/assert";
import { uuidV7 } from "@sabika/protocol";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { advanceCursor, leaseLanes, releaseLane, renewLeases } from "./webhook_lanes.ts";

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
    left.settledTo = 3n;
    await releaseLane(sql, left, outbox.clock.ms);
    assertEquals((await outbox.lane(partners[1]!)).next, 1);
    assertEquals(await advanceCursor(sql, taken!, 2n), true);
    await sql`update webhook_lanes set next_sequence = 1 where partner_id = ${partners[1]!}`;
    assertEquals(await advanceCursor(sql, taken!, 3n), false, "a crash lost where the cursor was");
    await releaseLane(sql, Object.assign(taken!, { settledTo: 3n }), outbox.clock.ms);
    assertEquals((await outbox.lane(partners[1]!)).next, 1);
    await releaseLane(sql, kept, outbox.clock.ms);
    const leasedLast = await lease(newOwner());
    assertEquals(leasedLast.map(({ partnerId }) => partnerId).toSorted(), partners);
  });
});
