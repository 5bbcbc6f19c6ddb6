import { actsOn, clientIdOf } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { codeOf, openTestMarket, trade, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { reconcile } from "./reconcile.ts";
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { each } from "../../../test/support/each.ts";

const { database, trading, reading, close } = await openTestMarket();
after(close);

const act = actsOn(database);

async function settle(withdrawal: string, to: Step, failure = ""): Promise<string> {
  const settled = to === "failed"
    ? await act("withdrawal.failed", { withdrawal, failure })
    : await act(`withdrawal.${to}`, { withdrawal });
  return settled.ok ? settled.value.status : settled.code;
}

type Step = "processing" | "completed" | "cancelled" | "failed";

test("a withdrawal passes through its statuses, and its money returns unless it was paid", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000n });
  const { partnerId } = bank;
  const paid = value(await trading.withdraw(bank.withdraw(100n)));
  assertEquals(await settle(paid.id, "completed"), "invalid_state");
  assertEquals(await settle(paid.id, "processing"), "processing");
  assertEquals(await settle(paid.id, "cancelled"), "invalid_state");
  assertEquals(await settle(paid.id, "completed"), "completed");
  assertEquals(await settle(paid.id, "failed", "x"), "invalid_state");
  const cancelled = value(await trading.withdraw(bank.withdraw(200n)));
  assertEquals(await settle(cancelled.id, "cancelled"), "cancelled");
  const failed = value(await trading.withdraw(bank.withdraw(300n)));
  await settle(failed.id, "processing");
  assertEquals(await settle(failed.id, "failed", "account closed"), "failed");
  assertEquals(await settle(`wd_${crypto.randomUUID()}`, "cancelled"), "not_found");
  assertEquals(await settle("nonsense", "cancelled"), "not_found");

  assertEquals((await reading.balances({ partnerId })).sarHalalas, 900n);
  const listed = await reading.listWithdrawals({ partnerId, limit: 9 });
  assert(listed.ok);
  assertEquals(
    listed.page.data.map((withdrawal) => [withdrawal.status, withdrawal.failureReason]),
    [
      ["failed", "account closed"],
      ["cancelled", null],
      ["completed", null],
    ],
  );
  const events = await reading.listEvents({ partnerId, limit: 9 });
  assert(events.ok);
  assertEquals(
    events.page.data.map((event) => event.type).reverse(),
    each(`
    withdrawal.created withdrawal.completed withdrawal.created withdrawal.cancelled
    withdrawal.created withdrawal.failed`),
  );
  assert(events.page.data[0]!.objectJson.includes('"failure":{"reason":"account closed"}'));
  assert(events.page.data[1]!.objectJson.includes('"status":"pending"'));
  assertEquals(await reconcile(database), []);
});

test("a bank reference is credited once for each partner", async () => {
  const bank = await admitTestPartner(database);
  const partner = await clientIdOf(database, bank.partnerId);
  const credit = (amount_sar: string) =>
    act("funding.credit", { partner, amount_sar, reference: 'FT"1' });
  const both = await Promise.all([credit("5.00"), credit("5.00")]);
  const [first, second] = both.map((credited) => value(credited));
  assertEquals([first!.repeated, second!.repeated].sort(), [false, true]);
  assertEquals(first!.funding, second!.funding);
  assertEquals(codeOf(await credit("5.01")), "already_exists");
  assertEquals((await reading.balances(bank)).sarHalalas, 500n);
  const other = await admitTestPartner(database);
  const theirs = await act("funding.credit", {
    partner: await clientIdOf(database, other.partnerId),
    amount_sar: "7.00",
    reference: 'FT"1',
  });
  assertEquals([value(theirs).repeated, (await reading.balances(other)).sarHalalas], [false, 700n]);
});

test("reconcile() finds a changed balance, order and vault (F26)", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000n });
  const { partnerId } = bank;
  await trade(trading, bank);
  const { sql } = database;
  await sql`update accounts set cash_halalas = cash_halalas + 1, bank_halalas = bank_halalas - 1,
    last_event = last_event + 1 where partner_id = ${partnerId}::integer`;
  await byForce(database, `update orders set total_halalas = 1 where partner_id = ${partnerId}`);
  await sql`update vault set bars_micrograms = bars_micrograms + 1`;
  const found = await reconcile(database);
  assertEquals(
    found.map(({ check, partnerId, subject }) =>
      `${check} ${partnerId} ${subject.length > 12 ? "" : subject}`
    )
      .sort(),
    [
      `balance ${partnerId} bank`,
      `balance ${partnerId} cash`,
      `numbers ${partnerId} events`,
      `orders ${partnerId} `,
      `terms ${partnerId} `,
      "vault null bars",
    ],
  );
  assertEquals((await reconcile(database, { partnerId })).length, 5);
});
