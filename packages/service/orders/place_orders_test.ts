import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { ORDER, parseId } from "@sabika/protocol";
import { byForce } from "../../../test/support/by_force.ts";
import { random } from "../../../test/support/random.ts";
import { codeOf, openTestMarket, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { orderItem, orderWork } from "./place_orders.ts";

const { database, app, trading, close } = await openTestMarket();
after(close);

/** How many orders the partner has. */
async function count(partnerId: number): Promise<number> {
  const [row] = await database.sql<{ n: number }[]>`
    select count(*)::integer as n from orders where partner_id = ${partnerId}::integer`;
  return row!.n;
}

test("an order whose nonce was spent by a lost attempt is refused as not executed", async () => {
  const bank = await admitTestPartner(database);
  const { run } = orderWork(app, Date.now);
  const item = orderItem(bank.order("qt_none"), random);
  const codes = [await run([item], false), await run([item], false), await run([item], true)];
  assertEquals(codes.flat().map(codeOf), [
    "quote_not_found",
    "nonce_reused",
    "service_unavailable",
  ]);
});

test("an order whose answer was lost is carried out once, and answered as executed", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const { run } = orderWork(app, Date.now);
  const item = orderItem(bank.order(value(await trading.quote(bank.quote())).id), random);
  const [[first], [again]] = [await run([item], false), await run([item], true)];
  assert(first!.ok && again!.ok && !first!.replayed && !again!.replayed);
  assertEquals(ORDER.write(again!.value), ORDER.write(first!.value));
  assertEquals(await count(bank.partnerId), 1);
});

test("an order without its evidence, as the release before places it, is refused once evidence is due", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const quoteId = parseId("qt", value(await trading.quote(bank.quote())).id)!;
  const place = async () => {
    const [id, eventId, key, nonce] = Array.from({ length: 4 }, () => crypto.randomUUID());
    const [row] = await app.sql<{ result: string }[]>`select result from place_orders(
      array[${bank.partnerId}::integer], array[${id!}::uuid], array[${eventId!}::uuid], array[${key!}::text],
      array['POST'], array[${quoteId}::uuid], array[null]::text[], array[${nonce!}::text],
      array[${Math.floor(Date.now() / 1_000)}::bigint], array[${Date.now()}::bigint])`;
    return row!.result;
  };
  await assertRejects(place, Error, "an order needs its evidence");
  assertEquals(await count(bank.partnerId), 0);
  const due = (when: string) =>
    byForce(database, `update schema_steps set applied_at = ${when} where name = '0001_evidence'`);
  await due("now() + interval '1 hour'");
  assertEquals(await place(), "executed");
  await due("'epoch'");
});

test("a nonce is spent for its own partner alone", async () => {
  const banks = [await admitTestPartner(database), await admitTestPartner(database)] as const;
  const { nonce } = banks[0].order("qt_none");
  for (const expected of ["quote_not_found", "nonce_reused"]) {
    for (const bank of banks) {
      assertEquals(codeOf(await trading.order(bank.order("qt_none", { nonce }))), expected);
    }
  }
});
