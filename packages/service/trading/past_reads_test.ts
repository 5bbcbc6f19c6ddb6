/** What is read where: what is old enough on a standby, if that has it (Decision D121). */
import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { parseId } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { riyadhDayEnd } from "@sabika/terms";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { SLACK_MS, timeOfId } from "../lists/list_query.ts";
import { createReading } from "./create_reading.ts";

const { database, app, trading, close } = await openTestMarket();
after(close);
const bank = await admitTestPartner(database, { cashHalalas: 1_000_000_00n });
const { partnerId } = bank;
const [first, order] = [await trade(trading, bank), await trade(trading, bank)];
const orderId = parseId("ord", order.id)!;
const madeMs = timeOfId(orderId);
const PAST_MS = 2 * SLACK_MS;

type Reading = ReturnType<typeof createReading>;

/** Reads at a moment; returns for each read of what is past whether the standby would have it. */
async function pastReads(nowMs: number, read: (reading: Reading) => Promise<unknown>) {
  const reads: (boolean | undefined)[] = [];
  const past: Database["past"] = async (read, isThere) => {
    reads.push(await isThere?.(app));
    return await read(app);
  };
  const parts = { database: { ...app, past }, environment: "sandbox", now: () => nowMs } as const;
  await read(createReading(parts));
  return reads;
}

test("an order is past two minutes after it was made", async () => {
  const getOrder = async (reading: Reading) => {
    assertEquals((await reading.getOrder({ partnerId, orderId }))?.id, order.id);
  };
  assertEquals(await pastReads(madeMs + PAST_MS, getOrder), []);
  assertEquals(await pastReads(madeMs + PAST_MS + 1, getOrder), [true]);
});

test("a list is past where it ends two minutes ago, by its cursor or by what is asked for", async () => {
  const later = madeMs + 10 * PAST_MS;
  const list = (query: { cursor?: string; createdToMs?: number; idempotencyKey?: string }) =>
    pastReads(later, async (reading) => {
      const listed = await reading.listOrders({ partnerId, limit: 1, ...query });
      assertEquals(listed.ok, true);
    });
  const now = createReading({ database: app, environment: "sandbox", now: Date.now });
  const listed = await now.listOrders({ partnerId, limit: 1 });
  const cursor = listed.ok ? listed.page.nextCursor! : "";
  assertEquals(await list({}), []);
  assertEquals(await list({ cursor }), [true]);
  assertEquals(await list({ createdToMs: later - PAST_MS }), []);
  assertEquals(await list({ createdToMs: later - PAST_MS - 1 }), [true]);
});

test("ledger entries before a number are past where the standby has the last of them", async () => {
  const entries = (query: { cursor?: string; createdToMs?: number } = {}) =>
    pastReads(madeMs, async (reading) => {
      const listed = await reading.listLedgerEntries({ partnerId, limit: 1, ...query });
      assertEquals(listed.ok, true);
    });
  const reading = createReading({ database: app, environment: "sandbox", now: Date.now });
  const listed = await reading.listLedgerEntries({ partnerId, limit: 1 });
  const [number, cursor] = listed.ok
    ? [listed.page.data[0]!.number, listed.page.nextCursor!]
    : [0, ""];
  assertEquals(await entries(), []);
  assertEquals(await entries({ createdToMs: madeMs - PAST_MS }), []);
  assertEquals(await entries({ createdToMs: madeMs - PAST_MS - 1 }), [true]);
  for (const [last, isThere] of [[-1, true], [-2, false]] as const) {
    await database.sql`update accounts set last_transfer = ${number + last}::bigint
      where partner_id = ${partnerId}::integer`;
    assertEquals(await entries({ cursor }), [isThere]);
  }
  await database.sql`update accounts set last_transfer = ${number}::bigint
    where partner_id = ${partnerId}::integer`;
});

test("a day's statement is past two minutes after the day's end", async () => {
  const day = new Date(first.createdAtMs + 3 * 3_600_000).toISOString().slice(0, 10);
  const statement = async (reading: Reading) => {
    const opened = await reading.statement({ partnerId, day });
    assertEquals(opened?.closing.goldMicrograms, 2_000_000n);
  };
  const endMs = riyadhDayEnd(day)!;
  assertEquals(await pastReads(endMs + PAST_MS, statement), []);
  assertEquals(await pastReads(endMs + PAST_MS + 1, statement), [true]);
});

test("of a partner who is not here nothing is past", async () => {
  const read = (reading: Reading) => reading.getOrder({ partnerId: partnerId + 1, orderId });
  assertEquals(await pastReads(madeMs + PAST_MS + 1, read), [false]);
});
