import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { ORDER, parseId, QUOTE } from "@sabika/protocol";
import { riyadhDayStart } from "@sabika/terms";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestMarket, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { reconcile } from "../ledger/reconcile.ts";

const { database, reading, trading, close } = await openTestMarket();
after(close);

/** Compares the members of `expected`. */
function assertHas<T extends object>(actual: T, expected: Partial<T>): void {
  const names = Object.keys(expected) as (keyof T)[];
  assertEquals(
    names.map((name) => [name, actual[name]]),
    names.map((name) => [name, expected[name]]),
  );
}

test("quote and order keep their parts, whatever becomes of tax and spread, and VAT has an account (D93)", async () => {
  const settings = { vatPpm: 150_000n, goldVatPpm: 50_000n };
  const bank = await admitTestPartner(database, { cashHalalas: 100_000_00n, settings });
  const { partnerId } = bank;
  const command = bank.quote();
  const quote = value(await trading.quote(command));
  const vat = {
    goldVatRatePpm: 50_000n,
    goldVatHalalas: 20_10n,
    feeVatRatePpm: 150_000n,
    feeVatHalalas: 16n,
  };
  const parts = { ...vat, priceSource: "fixed", vatHalalas: 20_26n } as const;
  assertHas(quote, { ...parts, totalHalalas: 402_00n + 1_01n + 20_26n });
  assertEquals("midPriceTenThousandths" in quote, false);
  const tomorrow = new Date(Date.now() + 27 * 3_600_000).toISOString().slice(0, 10);
  await byForce(
    database,
    `update partners set spread_ppm = 0, discloses_spread = true, taxes = taxes || '{"2026-01-02":
      {"gold_ppm": 0, "fee_ppm": 10}, "${tomorrow}": {"gold_ppm": 7, "fee_ppm": 7}}'
      where partner_id = ${partnerId}`,
  );
  const order = value(await trading.order(bank.order(quote.id)));
  assertHas(order, {
    ...parts,
    priceAsOfMs: quote.priceAsOfMs,
    totalHalalas: quote.totalHalalas,
  });
  const orderId = parseId("ord", order.id)!;
  const { balances: _, ...shown } = order;
  assertEquals(await reading.getOrder({ partnerId, orderId }), shown);
  const replay = value(await trading.quote(command));
  assertEquals(QUOTE.write(replay), QUOTE.write(quote));
  const found = await reading.getQuote({ partnerId, quoteId: parseId("qt", quote.id)! });
  assertEquals(found, { ...quote, status: "executed", orderId: order.id });

  const sale = value(await trading.quote(bank.quote({ side: "sell" })));
  assertHas(sale, {
    goldVatRatePpm: 0n,
    goldVatHalalas: 0n,
    feeVatRatePpm: 10n,
    feeVatHalalas: 1n,
    midPriceTenThousandths: 4_000_000n,
    spreadRatePpm: 0n,
  });
  const saleOrder = bank.order(sale.id);
  const sold = value(await trading.order(saleOrder));
  assertHas(sold, { midPriceTenThousandths: 4_000_000n, spreadRatePpm: 0n });
  const { nonce } = bank.order(sale.id);
  assertEquals(ORDER.write(value(await trading.order({ ...saleOrder, nonce }))), ORDER.write(sold));
  const legs = await database.sql<{ leg: string }[]>`
    select number || ' ' || debit_account || '>' || credit_account || ' ' || amount as leg from transfers
    where partner_id = ${partnerId}::integer and asset = 'SAR' and source_kind = 'order' order by number`;
  const first = Number(legs[0]!.leg.split(" ")[0]);
  assertEquals(legs.map(({ leg }) => leg), [
    `${first} cash>house_cash ${quote.totalHalalas}`,
    `${first + 2} house_cash>vat ${20_26n}`,
    `${first + 3} house_cash>cash ${sale.totalHalalas}`,
    `${first + 5} house_cash>vat 1`,
  ]);
  const [accounts] = await database.sql<{ vat: bigint; last: bigint }[]>`
    select vat_halalas as vat, last_transfer as last from accounts where partner_id = ${partnerId}::integer`;
  assertEquals(accounts, { vat: 20_27n, last: BigInt(first + 5) });
  assertEquals((await reconcile(database, { partnerId })).length, 0);
});

test("rates of VAT begin with their day in Riyadh", async () => {
  const settings = { vatPpm: 150_000n, goldVatPpm: 50_000n };
  const bank = await admitTestPartner(database, { settings });
  const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  await database.sql`update partners set
    taxes = taxes || ${`{"${day}": {"gold_ppm": 7, "fee_ppm": 10}}`}::text::jsonb
    where partner_id = ${bank.partnerId}`;
  const rateAt = async (ms: number) => {
    await database.sql`insert into scenario (clock_ahead_ms) values (${ms - Date.now()})
      on conflict (singleton) do update set clock_ahead_ms = excluded.clock_ahead_ms`;
    return value(await trading.quote(bank.quote())).goldVatRatePpm;
  };
  const beginsMs = riyadhDayStart(day)!;
  assertEquals([await rateAt(beginsMs - 60_000), await rateAt(beginsMs)], [50_000n, 7n]);
});
