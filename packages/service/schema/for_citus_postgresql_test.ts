import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openTestMarket } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { forCitus } from "./for_citus.ts";
import { readSchemaRelease } from "./schema_release.ts";

const functions = forCitus((await readSchemaRelease()).functions);
const { database, trading, close } = await openTestMarket(4_850_000n);
after(close);

test("no function has a query that Citus cannot plan (D53)", () => {
  assertEquals(functions.match(/known_key\(/g)?.length, 1);
  assertEquals(functions.match(/force_generic_plan/), null);
});

test("functions for Citus do the same on PostgreSQL as the others", async () => {
  await database.sql.unsafe(functions);
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const quote = await trading.quote(bank.quote());
  assert(quote.ok);
  const order = bank.order(quote.value.id);
  const again = () => trading.order({ ...order, nonce: bank.order(quote.value.id).nonce });
  const first = await trading.order(order);
  assert(first.ok);
  assertEquals(await again(), { ...first, replayed: true });
  const withdrawal = bank.withdraw(100n);
  assert((await trading.withdraw(withdrawal)).ok);
  const other = await trading.fund({ ...bank.fund(100n), idempotencyKey: order.idempotencyKey });
  assert(!other.ok && other.code === "idempotency_key_conflict");
});
