import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { EventDelivery } from "@sabika/protocol";
import { sized } from "../../../test/support/sized.ts";
import { openTestMarket, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import type { Listing, ListQuery } from "../lists/list_query.ts";

const { database, trading, reading, close } = await openTestMarket();
after(close);

/** How many orders and withdrawals there are; 5 of each at once, so that some have one time. */
const COUNT = 65;
const AT_ONCE = 5;
const LIMITS = [1, 2, 24, 25, 26, 64, 65, 66, 99, 100];
const STATES = ["failing", "requested", "delivered", "exhausted"] as const;

const bank = await admitTestPartner(database, {
  cashHalalas: 10_000_000n,
  settings: { openQuotesLimit: 1_000 },
});
const { partnerId } = bank;
for (let made = 0; made < COUNT; made += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const { id } = value(await trading.quote(bank.quote()));
    value(await trading.order(bank.order(id)));
    value(await trading.withdraw(bank.withdraw(100n)));
  }));
}

interface Row {
  readonly key: string;
  readonly ms: number;
}

/** All rows of a list, in its order. */
const rowsOf = async (table: string, key: string, time: string): Promise<Row[]> =>
  (await database.sql.unsafe<Row[]>(
    `select ${key}::text as key, (extract(epoch from ${time}) * 1000)::float8 as ms
      from ${table} where partner_id = ${partnerId} order by ${table}.${key} desc`,
  )).map((row) => ({ ...row }));

type Lists = Readonly<
  Record<string, {
    readonly rows: readonly Row[];
    readonly list: (query: ListQuery) => Promise<Listing<{ key: string }>>;
  }>
>;

/** Gives the items of a list the keys of its rows. */
const keyed =
  <T>(list: (query: ListQuery) => Promise<Listing<T>>, keyOf: (item: T) => string) =>
  async (query: ListQuery): Promise<Listing<{ key: string }>> => {
    const listing = await list(query);
    if (!listing.ok) return listing;
    const { data, nextCursor } = listing.page;
    return { ok: true, page: { data: data.map((item) => ({ key: keyOf(item) })), nextCursor } };
  };
const uuidOf = ({ id }: { id: string }) => {
  const hex = id.slice(id.indexOf("_") + 1).replaceAll("-", "");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};
const LISTS: Lists = {
  quotes: {
    rows: await rowsOf("quotes", "quote_id", "created_at"),
    list: keyed(reading.listQuotes, uuidOf),
  },
  orders: {
    rows: await rowsOf("orders", "order_id", "executed_at"),
    list: keyed(reading.listOrders, uuidOf),
  },
  withdrawals: {
    rows: await rowsOf("withdrawals", "withdrawal_id", "created_at"),
    list: keyed(reading.listWithdrawals, uuidOf),
  },
  ledger: {
    rows: await rowsOf("transfers", "number", "posted_at"),
    list: keyed(reading.listLedgerEntries, ({ number }) => String(number)),
  },
  events: {
    rows: await rowsOf("events", "sequence", "created_at"),
    list: keyed(reading.listEvents, ({ sequence }) => String(sequence)),
  },
};

/** Asserts that the pages of a list have these keys, each page but the last as many as its limit. */
async function walk(name: string, query: Omit<ListQuery, "partnerId">, keys: readonly string[]) {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const listing = await LISTS[name]!.list({ ...query, partnerId, cursor });
    assert(listing.ok, `${listing.ok || listing.code}`);
    const { data, nextCursor } = listing.page;
    cursor = nextCursor ?? undefined;
    seen.push(...data.map(({ key }) => key));
    if (nextCursor !== null) assertEquals(data.length, query.limit);
    else assert(data.length > 0 || keys.length === 0, "the last page is empty");
  } while (cursor !== undefined);
  assertEquals(seen, keys);
}

const limit = fc.constantFrom(...LIMITS);

test("pages have every item once, whatever their size and period", async () => {
  /** A moment of an item, or a millisecond off; none now and then. */
  const moment = fc.option(fc.record({ item: fc.nat(200), off: fc.constantFrom(-1, 0, 1) }));
  const asked = fc.record({
    name: fc.constantFrom(...Object.keys(LISTS)),
    limit,
    from: moment,
    to: moment,
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ name, limit, from, to }) => {
      const { rows } = LISTS[name]!;
      const msOf = (at: typeof from) =>
        at === null ? undefined : rows[at.item % rows.length]!.ms + at.off;
      const [createdFromMs, createdToMs] = [msOf(from), msOf(to)];
      const isAsked = ({ ms }: Row) =>
        ms >= (createdFromMs ?? -Infinity) && ms < (createdToMs ?? Infinity);
      const keys = rows.filter(isAsked).map(({ key }) => key);
      await walk(name, { limit, createdFromMs, createdToMs }, keys);
    }),
    { numRuns: sized(30, 2_000) },
  );
});

test("events of a status, and events after a number, are on every page as they should", async () => {
  const last = LISTS["events"]!.rows.length;
  const number = fc.oneof(
    fc.constantFrom(1, 25, 26, 64, 65, 66, 100, 101, last, last + 1),
    fc.integer({ min: 1, max: last + 1 }),
  );
  const asked = fc.record({
    limit,
    next: number,
    after: number,
    rows: fc.uniqueArray(
      fc.record({ sequence: fc.integer({ min: 1, max: last }), state: fc.constantFrom(...STATES) }),
      { maxLength: 100, selector: ({ sequence }) => sequence },
    ),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ limit, next, after, rows }) => {
      const { sql } = database;
      await sql`delete from event_deliveries where partner_id = ${partnerId}`;
      await sql`
        insert into event_deliveries (partner_id, sequence, state)
        select ${partnerId}::integer, r.sequence, r.state
        from jsonb_to_recordset(${
        JSON.stringify(rows)
      }::text::jsonb) as r (sequence int, state text)`;
      await sql`update webhook_lanes set next_sequence = ${next} where partner_id = ${partnerId}`;
      const stateOf = new Map(rows.map(({ sequence, state }) => [sequence, state]));
      const statusOf = (sequence: number): EventDelivery["status"] => {
        const state = stateOf.get(sequence);
        if (state === undefined) return sequence < next ? "delivered" : "pending";
        return state === "delivered" || state === "exhausted" ? state : "pending";
      };
      const newest = Array.from({ length: last }, (_, n) => last - n);
      for (const status of ["pending", "delivered", "exhausted"] as const) {
        const keys = newest.filter((sequence) => statusOf(sequence) === status).map(String);
        await walk("events", { limit, status }, keys);
      }
      const later = newest.filter((sequence) => sequence > after).reverse().map(String);
      await walk("events", { limit, afterSequence: after }, later);
    }),
    { numRuns: sized(8, 500) },
  );
});
