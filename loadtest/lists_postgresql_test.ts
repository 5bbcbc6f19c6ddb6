/** A page of a list reads few rows besides its own, with any filter and anywhere (Decision D19). */
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  listPartners,
  listQuotesOfAll,
  listTrades,
  type PartnerName,
} from "@sabika/office/oversight";
import { type EntryFilter, listEntries } from "@sabika/service/ledger";
import type { ListQuery } from "@sabika/service/lists";
import { createReading, type Reading } from "@sabika/service/trading";
import { encodeBase64Url, encodeUtf8, parseId } from "@sabika/protocol";
import { rowsRead as countRows } from "../test/support/rows_read.ts";
import { openTestDatabase } from "../test/support/test_database.ts";
import { admitTestPartner } from "../test/support/test_partner.ts";
import { fill } from "./bench/world/fill.ts";

const ORDERS = 40_000;
const LIMIT = 20;
/** The rows of a page with their joins, and the binary searches for a period. */
const MOST_ROWS = 8 * (LIMIT + 1) + 80;

const { database, close } = await openTestDatabase();
after(close);
const { partnerId } = await admitTestPartner(database, { cashHalalas: 100_000_000_000n });
const nowSeconds = Math.floor(Date.now() / 1000);
await fill(database.sql, [{ partnerId, orders: ORDERS }], nowSeconds, () => {});
// Rare rows are at the far end: quotes and withdrawals of a status, failed deliveries.
await database.sql.unsafe(`
  insert into withdrawals (partner_id, withdrawal_id, amount_halalas, created_at, status, iban)
  select ${partnerId}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, now(),
    case when n <= 30 then 'failed' else 'completed' end, 'SA' from generate_series(1, 5000) n;
  insert into event_deliveries (partner_id, sequence, state)
  select ${partnerId}, n, case when n <= 30 then 'exhausted' when n <= 60 then 'failing'
    else 'delivered' end from generate_series(1, 30000) n;
  update webhook_lanes set next_sequence = 35000 where partner_id = ${partnerId};
  insert into quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
    vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side)
  select ${partnerId},
    (lpad(to_hex(${nowSeconds}::bigint * 1000 - 3600000), 12, '0') || '7000' || '8' ||
      lpad(to_hex(n), 15, '0'))::uuid,
    1, 1, 0, 0, 0, 1, now(), now(), now(), 'buy' from generate_series(1, 5000) n`);
await database.sql.unsafe("analyze withdrawals, event_deliveries, quotes");

/** Counts the rows that a page reads, and those that it shows. */
function cost(list: keyof Reading, query: Partial<ListQuery>) {
  return rowsRead(async (reading) => {
    const read = reading[list] as Reading["listOrders"];
    const page = await read({ partnerId, limit: LIMIT, ...query });
    assert(page.ok);
    return page.page.data.length;
  });
}

/** Counts the rows that `show` reads for its result. */
function rowsRead<T>(show: (reading: Reading, inside: typeof database) => Promise<T>) {
  return countRows(
    database,
    (inside) =>
      show(createReading({ database: inside, environment: "sandbox", now: Date.now }), inside),
  );
}

const day = (n: number) => (nowSeconds - (30 - n) * 86_400) * 1000;
const period = { createdFromMs: day(2), createdToMs: day(3) };
const [made] = await database.sql<{ id: string }[]>`
  select order_id as id from orders where partner_id = ${partnerId}::integer
  order by order_id limit 1`;
const idempotencyKey = "the key of the first order";
await database.sql`
  insert into idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
    resource_kind)
  select partner_id, short_hash(${idempotencyKey}), short_hash(''), order_id, executed_at, 'order'
  from orders where partner_id = ${partnerId}::integer and order_id = ${made!.id}`;

const CASES: readonly (readonly [keyof Reading, Partial<ListQuery>, shown: number])[] = [
  ["listOrders", {}, LIMIT],
  ["listOrders", { status: "executed" }, LIMIT],
  ["listOrders", period, LIMIT],
  ["listOrders", { idempotencyKey }, 1],
  ["listQuotes", {}, LIMIT],
  ["listQuotes", { status: "open" }, 0],
  ["listQuotes", { status: "executed" }, LIMIT],
  ["listQuotes", { status: "executed", ...period }, LIMIT],
  ["listQuotes", { status: "expired" }, LIMIT],
  ["listQuotes", period, LIMIT],
  ["listWithdrawals", {}, LIMIT],
  ["listWithdrawals", { status: "failed" }, LIMIT],
  ["listWithdrawals", { status: "pending" }, 0],
  ["listEvents", {}, LIMIT],
  ["listEvents", { status: "exhausted" }, LIMIT],
  ["listEvents", { status: "pending" }, LIMIT],
  ["listEvents", { status: "delivered" }, LIMIT],
  ["listEvents", period, LIMIT],
  ["listEvents", { status: "delivered", ...period }, LIMIT],
  ["listEvents", { idempotencyKey }, 1],
  ["listEvents", { afterSequence: 0 }, LIMIT],
  ["listEvents", { afterSequence: ORDERS / 2 }, LIMIT],
  ["listEvents", { afterSequence: 10 ** 14 }, 0],
  ["listLedgerEntries", {}, LIMIT],
  ["listLedgerEntries", period, LIMIT],
  ["listLedgerEntries", { idempotencyKey }, 2],
];
for (const [list, query, shown] of CASES) {
  test(`${list}(${Object.keys(query).join()} ${query.status ?? ""}) reads only its page`, async () => {
    const found = await cost(list, query);
    assertEquals(found.shown, shown);
    assert(found.rows <= MOST_ROWS, `${found.rows} rows`);
  });
}

test("a closed day's statement reads only the rows of its page", async () => {
  const wanted = { partnerId, day: new Date(day(15)).toISOString().slice(0, 10) };
  const found = await rowsRead(async (reading) => {
    const statement = await reading.statement(wanted);
    assert(statement && statement.count > 1_000n);
    const page = await statement.pages(LIMIT).next();
    return page.value!.length;
  });
  assertEquals(found.shown, LIMIT);
  assert(found.rows <= MOST_ROWS, `${found.rows} rows`);
});

/** The rows that a page examines at most to find those of a side or an account. */
const EXAMINED = 10_000;
const [{ clientId }] = await listPartners(database) as [PartnerName];
type Before = string | bigint | undefined;
const PICKED: Record<string, (inside: typeof database, before: Before) => Promise<Before>> = {
  "a side's orders": async (inside, before) => {
    const filter = { clientId, side: "sell", limit: LIMIT, before: uuid("ord", before) } as const;
    const { data, next } = await listTrades(inside, filter);
    assertEquals(data, []);
    return next;
  },
  "a side's quotes": async (inside, before) => {
    const filter = { clientId, side: "sell", limit: LIMIT, before: uuid("qt", before) } as const;
    const { data, next } = await listQuotesOfAll(inside, filter, Date.now());
    assertEquals(data, []);
    return next;
  },
  "an account's transfers": async (inside, before) => {
    const filter = { partnerId, account: "withdrawals", limit: LIMIT, before } as EntryFilter;
    const { entries, next } = await listEntries(inside, filter);
    assertEquals(entries, []);
    return next;
  },
};
const uuid = (prefix: "ord" | "qt", before: Before) => parseId(prefix, String(before));
for (const [name, page] of Object.entries(PICKED)) {
  test(`${name} that do not exist are searched for in a limited part of the past, page by page`, async () => {
    let pages = 0;
    let before: Before;
    do {
      const { rows, shown } = await rowsRead((_, inside) => page(inside, before));
      // Up to twice: to find the end of the page, if the index alone does not show it, and to read the page.
      assert(rows <= 2 * EXAMINED + MOST_ROWS, `${rows} rows`);
      before = shown;
      pages++;
    } while (before !== undefined);
    assert(pages > 1 && pages < 12, `${pages} pages`);
  });
}

test("filtered orders are complete over all pages", async () => {
  const ids: string[] = [];
  let before: Before;
  const shown = () =>
    listTrades(database, { side: "buy", limit: 100, before: uuid("ord", before) });
  do {
    const { data, next } = await shown();
    ids.push(...data.map(({ id }) => id));
    before = next;
  } while (before !== undefined && ids.length < 500);
  const all = await listTrades(database, { limit: 500 });
  assertEquals(ids, all.data.map(({ id }) => id));
});

/** The lists that grow with trade, each with its table and the column by which it is ordered. */
const GROWING_LISTS = {
  orders: ["orders", "order_id"],
  quotes: ["quotes", "quote_id"],
  events: ["events", "sequence"],
  ledger: ["transfers", "number"],
} as const;
type GrowingList = keyof typeof GROWING_LISTS;

/** Makes the cursor that a page ending after this many of the partner's rows would have. */
async function cursorBehind(rows: number, list: GrowingList): Promise<string> {
  const { sql } = database;
  const [table, column] = GROWING_LISTS[list];
  const [row] = await sql<{ key: string }[]>`
    select ${sql(column)}::text as key from ${sql(table)}
    where partner_id = ${partnerId}::integer order by ${sql(column)} desc
    offset ${rows - 1} limit 1`;
  return encodeBase64Url(encodeUtf8(`${list}:${row!.key}`));
}

const DEEP: readonly (readonly [GrowingList, keyof Reading, Partial<ListQuery>])[] = [
  ["orders", "listOrders", {}],
  ["quotes", "listQuotes", {}],
  ["quotes", "listQuotes", { status: "executed" }],
  ["events", "listEvents", {}],
  ["events", "listEvents", { status: "delivered" }],
  ["ledger", "listLedgerEntries", {}],
];
for (const [kind, list, query] of DEEP) {
  test(`${list}(${query.status ?? ""}) reads as much on its last pages as on its first`, async () => {
    const cursor = await cursorBehind(ORDERS - 4_000, kind);
    const first = await cost(list, query);
    const deep = await cost(list, { ...query, cursor });
    assertEquals(deep.shown, LIMIT);
    assert(deep.rows <= first.rows * 3, `${deep.rows} rows, ${first.rows} on the first page`);
    assert(deep.rows <= MOST_ROWS, `${deep.rows} rows`);
  });
}
