import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { plainArray } from "@sabika/database";
import { parseId } from "@sabika/protocol";
import { byForce } from "../../../test/support/by_force.ts";
import { numbers, quoteOracle, someTerms } from "../../../test/support/quote_oracle.ts";
import { sized } from "../../../test/support/sized.ts";
import { openTestMarket, trade } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { sumMargins } from "@sabika/service/orders";
import { MARGINS } from "../reads/margins.ts";
import type { FindInput } from "../reads/read.ts";
import { listMargins, type Margin } from "./list_margins.ts";

// Decision D90.

const { database, trading, close } = await openTestMarket();
after(close);

const HOUR_MS = 3_600_000;

test("what orders earned stays as it was when a partner's terms change, each part from its own rows", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_00n });
  for (const side of ["buy", "buy", "sell"] as const) await trade(trading, bank, side);
  const nowMs = Date.now();
  const read = async (by: "hour" | "day") => {
    const query = { by, fromMs: nowMs - HOUR_MS, toMs: nowMs + HOUR_MS };
    return (await listMargins(database, query)).map(({ startMs, clientId: _, ...sums }) => {
      assertEquals(startMs % HOUR_MS, 0);
      return sums;
    });
  };
  // Two buys at 402.00 and a sale at 398.00, with fees of 1.01, 1.01 and 1.00, around a mid price of 400.
  const earned = {
    orders: 3,
    unpriced: 0,
    goldMicrograms: 3_000_000n,
    totalHalalas: 2n * 403_01n + 397_00n,
    spreadHalalas: 3n * 2_00n,
    feeHalalas: 3_02n,
    roundingHalalas: 0n,
    marginHalalas: 9_02n,
  };
  assertEquals([await read("day"), await read("hour")], [[earned], [earned]]);
  await byForce(database, "update partners set spread_ppm = 900000, fee_ppm = 1, vat_ppm = 150000");
  assertEquals(await read("day"), [earned]);
  const unpriced = `mid_ten_thousandths = null, price_source = null, gold_vat_ppm = null,
    fee_vat_halalas = null, discloses_spread = null`;
  await byForce(database, `update orders set ${unpriced} where side = 'sell'`);
  assertEquals(await read("day"), [{
    ...earned,
    unpriced: 1,
    spreadHalalas: 4_00n,
    feeHalalas: 2_02n,
    marginHalalas: 6_02n,
  }]);
  await byForce(database, `update orders set ${unpriced}`);
  const none = { spreadHalalas: 0n, feeHalalas: 0n, marginHalalas: 0n };
  assertEquals(await read("day"), [{ ...earned, unpriced: 3, ...none }]);
});

test("a list of any period is the same from sums of ended hours as from the orders", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_00n });
  for (const side of ["buy", "sell"] as const) await trade(trading, bank, side);
  const nowMs = Date.now();
  const partner = `partner_id = ${bank.partnerId}`;
  const columns = (await database.sql<{ name: string }[]>`select attname as name from pg_attribute
    where attrelid = 'orders'::regclass and attnum > 0 and not attisdropped order by attnum`)
    .map(({ name }) => name);
  const copied: Record<string, string> = {
    order_id: "(left(first_id_at(ms)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid",
    quote_id: "gen_random_uuid()",
    executed_at: "to_timestamp(ms / 1000.0)",
    gold_micrograms: "gold_micrograms + n * 100",
  };
  // More than a month in steps of 53 minutes, so that a call does not add up all of it.
  await byForce(
    database,
    `insert into orders select ${columns.map((name) => copied[name] ?? name).join()} from orders,
      generate_series(1, 1000) n, lateral (select ${nowMs} - n * 53 * bigint '60000' as ms) at where ${partner}`
      .replace(`where ${partner}`, `where ${partner} and side = 'buy'`),
  );
  const lists = () =>
    Promise.all(
      [[40, 0], [31, 0], [31, 30.99], [0.02, 0.01], [0.001, 0], [3.3, 1.7]].flatMap((days) =>
        (["hour", "day"] as const).map((by) => {
          const [fromMs, toMs] = days.map((day) => Math.round(nowMs - day * 24 * HOUR_MS) + 1);
          return listMargins(database, {
            by,
            fromMs: fromMs!,
            toMs: toMs!,
          });
        })
      ),
    );
  const found = await lists();
  assert(found[1]!.length >= 37 && found[0]!.length > 700);
  await sumMargins(database);
  const [sums] = await database.sql.unsafe(
    `select sum(orders)::integer as n from margin_hours where ${partner}`,
  );
  assert(sums!["n"] >= 997, sums!["n"]);
  assertEquals(await lists(), found);
  await sumMargins(database);
  // What is read for ended hours is the sums.
  await database.sql.unsafe(`update margin_hours set orders = orders + 1 where ${partner}`);
  assertEquals((await lists())[0]!.at(-1)!.orders, found[0]!.at(-1)!.orders + 1);

  // Pages read parts of the period; together they have the same rows.
  const [fromMs, toMs] = [nowMs - 900 * HOUR_MS, nowMs];
  for (const by of ["day", "hour"] as const) {
    const pages: Margin[] = [];
    let cursor: string | undefined;
    do {
      const part = await MARGINS.find({
        pastInEachCell: async (_: unknown, read: (cell: typeof database) => Promise<unknown>) => ({
          found: [await read(database)],
          away: [],
        }),
        filter: { by },
        query: { limit: 13, cursor, createdFromMs: fromMs, createdToMs: toMs },
      } as unknown as FindInput);
      pages.push(...part!.data);
      cursor = part!.next;
    } while (cursor !== undefined);
    assertEquals(pages, [...await listMargins(database, { by, fromMs, toMs })]);
  }
});

test("an order counts in the hour and in the periods of its execution, not in those of its id", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 10_000_00n });
  const hourMs = Math.floor(Date.now() / HOUR_MS - 5) * HOUR_MS;
  // It waited for its batch, or another clock made its id.
  const moments = [[0, -59_999], [HOUR_MS - 1, 59_999]] as const;
  for (const [executedMs, idMs] of moments) {
    const { id } = await trade(trading, bank);
    await byForce(
      database,
      `update orders set executed_at = to_timestamp(${hourMs + executedMs} / 1000.0),
        order_id = first_id_at(${hourMs + executedMs + idMs}) where order_id = '${
        parseId("ord", id)
      }'`,
    );
  }
  const [client] = await database.sql<{ id: string }[]>`
    select client_id as id from partners where partner_id = ${bank.partnerId}`;
  const edges = [0, 1, HOUR_MS - 1, HOUR_MS];
  const periods = edges.flatMap((from) => edges.map((to) => [from, to] as const))
    .filter(([from, to]) => from < to);
  // From the orders, then from the sums where the whole hour is asked for.
  for (const source of ["orders", "sums"]) {
    for (const [from, to] of periods) {
      const found = await listMargins(database, {
        by: "hour",
        fromMs: hourMs + from,
        toMs: hourMs + to,
        clientId: client!.id,
      });
      const expected = moments.filter(([executed]) => from <= executed && executed < to).length;
      const counted = found.map(({ orders }) => orders);
      assertEquals(counted, expected > 0 ? [expected] : [], `${from} to ${to} ms, from ${source}`);
    }
    await sumMargins(database);
  }
});

test("spread, fee and rounding of random trades add up to what the partner paid above the mid price", async () => {
  const next = numbers(90);
  const trades = Array.from({ length: sized(1_000, 100_000) }, () => {
    const { settings, mid } = someTerms(next);
    const side = next(0, 1) === 0 ? "buy" as const : "sell" as const;
    const steps = BigInt(next(1, 10 ** next(1, 8)));
    return { side, mid, settings, steps, terms: quoteOracle(side, mid, settings).terms(steps) };
  });
  const column = (read: (trade: typeof trades[0]) => bigint | string) =>
    plainArray(trades.map(read));
  const rows = await database.sql<{ spread: bigint; rounding: bigint; margin: bigint }[]>`
    select m.* from unnest(${column(({ side }) => side)}::text[],
        ${column(({ steps }) => steps * 100n)}::bigint[], ${column(({ mid }) => mid)}::bigint[],
        ${column(({ settings }) => settings.spreadPpm)}::bigint[],
        ${column(({ terms }) => terms.fee)}::bigint[], ${
    column(({ terms }) => terms.vat)
  }::bigint[],
        ${column(({ terms }) => terms.total)}::bigint[])
      with ordinality as t (side, gold, mid, spread, fee, vat, total, n)
    cross join lateral margin_of(t.side, t.gold, t.mid, t.spread, t.fee, t.vat, t.total) m order by n`;
  const rounded = (value: bigint, unit: bigint) => (2n * value + unit) / (2n * unit);
  for (const [n, { spread, rounding, margin }] of rows.entries()) {
    const { side, mid, settings, steps, terms: { fee, vat, total } } = trades[n]!;
    const exact = mid * steps * 100n;
    const atMid = rounded(exact, 100_000_000n);
    assertEquals(margin, side === "buy" ? total - vat - atMid : atMid - total - vat);
    assertEquals(spread, rounded(exact * settings.spreadPpm, 100_000_000_000_000n));
    assertEquals(spread + fee + rounding, margin);
    // The price is rounded too, by less than a ten-thousandth of a riyal a gram.
    assert(rounding >= -2n && rounding <= 2n + steps / 1_000_000n, `${rounding} of ${steps} steps`);
  }
});
