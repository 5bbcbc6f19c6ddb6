import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { byForce } from "../../../test/support/by_force.ts";
import { random } from "../../../test/support/random.ts";
import { codeOf, openTestMarket, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { commandItem } from "../batches/command_batch.ts";
import type { FundCommand } from "../batches/commands.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { fundingWork } from "./credit_fundings.ts";

const { database, app, trading, close } = await openTestMarket();
after(close);

const { run } = fundingWork(app);
const itemsOf = (commands: readonly FundCommand[]) =>
  commands.map((command) => commandItem(command, random));

test("fundings of a batch are credited in their order, and each is answered for itself, now and later", async () => {
  const [one, two] = [await admitTestPartner(database), await admitTestPartner(database)];
  const commands = [one.fund(300n), two.fund(5n), one.fund(40n)];
  const items = itemsOf(commands);
  const startMs = Date.now();
  const made = (await run(items, false)).map(value);
  assertEquals(
    made.map(({ amountHalalas, balanceHalalas }) => [amountHalalas, balanceHalalas]),
    [[300n, 300n], [5n, 5n], [40n, 340n]],
  );
  for (const { createdAtMs } of made) assert(Math.abs(createdAtMs - startMs) < 60_000);
  // An answer was lost: the same items again; then other items with their keys.
  for (const [again, replayed] of [[items, false], [itemsOf(commands), true]] as const) {
    assertEquals(
      await run(again, true),
      made.map((value) => ({ ok: true, replayed, value })),
    );
  }
  for (const bank of [one, two]) assertEquals(await reconcile(database, bank), []);
});

test("a key of another funding, or of a quote with the same parameters, credits nothing", async () => {
  const bank = await admitTestPartner(database);
  const command = bank.fund(300n);
  const quoted = bank.quote({}, { parameters: command.parameters });
  value(await trading.quote(quoted));
  const [{ idempotencyKey }, { parameters }] = [quoted, command];
  const outcomes = await run(
    itemsOf([
      command,
      bank.fund(300n, { idempotencyKey: command.idempotencyKey, parameters: "of another" }),
      bank.fund(300n, { idempotencyKey, parameters }),
      bank.fund(1n),
    ]),
    false,
  );
  const conflict = "idempotency_key_conflict";
  assertEquals(outcomes.map(codeOf), ["ok", conflict, conflict, "ok"]);
  assertEquals(value(outcomes[3]!).balanceHalalas, 301n);
});

test("a reference credits once for each partner", async () => {
  const banks = [await admitTestPartner(database), await admitTestPartner(database)] as const;
  const credit = async (partnerId: number, amount: number, reference: string) => {
    const [row] = await database.sql<{ result: string; amount: bigint; id: string }[]>`
      select result, amount, subject_id as id from credit_fundings(array[${partnerId}::integer],
        array[${crypto.randomUUID()}::uuid], array[${crypto.randomUUID()}::uuid], array[null]::text[],
        array[null]::text[], array[${amount}::bigint], array[${reference}::text])`;
    return row!;
  };
  const first = [];
  for (const { partnerId } of banks) {
    assertEquals((await credit(partnerId, 100, "OTHER")).result, "credited");
    first.push(await credit(partnerId, 7, "INCOMING-1"));
    assertEquals(first.at(-1)!.result, "credited");
  }
  for (const [n, { partnerId }] of banks.entries()) {
    const expected = { ...first[n]!, result: "reference_used" };
    assertEquals(await credit(partnerId, 9, "INCOMING-1"), expected);
  }
});

test("production has no sandbox to fund", async () => {
  const bank = await admitTestPartner(database);
  const fund = async () => (await run(itemsOf([bank.fund(1n)]), false)).map(codeOf);
  const become = (environment: string) =>
    byForce(
      database,
      "delete from deployment",
      `insert into deployment (environment, data_version) values ('${environment}', 1)`,
    );
  await become("production");
  await assertRejects(fund, Error, "no sandbox to fund");
  await become("sandbox");
  assertEquals(await fund(), ["ok"]);
});
