import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { openTestMarket } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { readBalances } from "./balances.ts";
import { readBalanceRound } from "./balance_round.ts";
import { checkBalances } from "./check_balances.ts";
import { readAccounts } from "./read_accounts.ts";

const { database, app, close } = await openTestMarket();
after(close);
const { partnerId } = await admitTestPartner(database, { cashHalalas: 500n });

test("a partner's balances are read, and that it has none is an error", async () => {
  const balances = { sarHalalas: 500n, goldMicrograms: 0n };
  assertEquals(await readBalances(database, partnerId), balances);
  const nobody = partnerId + 1;
  await assertRejects(
    () => readBalances(database, nobody),
    Error,
    `partner ${nobody} has no accounts`,
  );
  const accounts = await readAccounts(database.sql);
  assertEquals([...accounts].map(([id, { cashHalalas }]) => [id, cashHalalas]), [
    [partnerId, 500n],
  ]);
});

test("the latest round's age is known once there was one", async () => {
  const none = { wrongBalances: 0, ageSeconds: undefined };
  assertEquals(await readBalanceRound(database.sql), none);
  await checkBalances(app.sql);
  const { ageSeconds, ...rest } = await readBalanceRound(database.sql);
  assertEquals([typeof ageSeconds, rest], ["number", { wrongBalances: 0 }]);
});
