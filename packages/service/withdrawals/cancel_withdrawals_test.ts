import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { parseId, WITHDRAWAL } from "@sabika/protocol";
import { actsOn, clientIdOf } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { codeOf, openTestMarket, value } from "../../../test/support/test_market.ts";
import { random } from "../../../test/support/random.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { listWithdrawalsToPay } from "../bank/mod.ts";
import { commandItem } from "../batches/command_batch.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { cancelWork } from "./cancel_withdrawals.ts";
import { withdrawalWork } from "./place_withdrawals.ts";

const { database, app, trading, reading, close } = await openTestMarket();
after(close);

test("a pending withdrawal is cancelled once, with one event, and a replay has the same answer", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 500n });
  const made = value(await trading.withdraw(bank.withdraw(300n)));
  const command = bank.cancel(made.id);
  const cancelled = value(await trading.cancelWithdrawal(command));
  assertEquals(cancelled, { ...made, status: "cancelled" });
  assertEquals(codeOf(await trading.cancelWithdrawal(command)), "nonce_reused");
  const replay = await trading.cancelWithdrawal({ ...command, nonce: bank.cancel(made.id).nonce });
  assertEquals(replay, { ok: true, replayed: true, value: cancelled });
  const late = await trading.cancelWithdrawal(bank.cancel(made.id));
  assert(!late.ok);
  assertEquals([late.code, late.meta], ["withdrawal_not_cancellable", { status: "cancelled" }]);
  const { idempotencyKey } = command;
  const other = bank.withdraw(1n, { idempotencyKey, parameters: "other" });
  assertEquals(codeOf(await trading.withdraw(other)), "idempotency_key_conflict");
  const unknown = `wd_${crypto.randomUUID().replace(/-4/, "-7")}`;
  assertEquals(codeOf(await trading.cancelWithdrawal(bank.cancel(unknown))), "not_found");
  const stranger = await admitTestPartner(database);
  assertEquals(codeOf(await trading.cancelWithdrawal(stranger.cancel(made.id))), "not_found");
  const { partnerId } = bank;
  assertEquals((await reading.balances(bank)).sarHalalas, 500n);
  const events = await reading.listEvents({ partnerId, limit: 9, idempotencyKey });
  assert(events.ok);
  assertEquals(events.page.data.map(({ type, objectJson }) => [type, objectJson]), [
    ["withdrawal.cancelled", WITHDRAWAL.write(cancelled)],
    ["withdrawal.created", WITHDRAWAL.write(made)],
  ]);
  assertEquals(await reconcile(database, bank), []);
});

test("of a partner's withdrawals only the named one is cancelled, by the first of a batch that asks", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 900n });
  const made = [];
  for (let n = 0; n < 3; n++) made.push(value(await trading.withdraw(bank.withdraw(300n))));
  const [, second] = made;
  const first = bank.cancel(second!.id);
  const batch = [first, bank.cancel(second!.id)].map((command) => commandItem(command, random));
  const outcomes = await cancelWork(app).run(batch, false);
  assertEquals(outcomes.map(codeOf), ["ok", "withdrawal_not_cancellable"]);
  const { partnerId } = bank;
  const listed = await reading.listWithdrawals({ partnerId, limit: 9 });
  assertEquals(
    listed.ok && listed.page.data.map(({ status }) => status),
    ["pending", "cancelled", "pending"],
  );
  // A key is of one cancellation; a key of a quote is of none, though both have the same parameters.
  const { parameters } = first;
  const quoted = bank.quote({}, { parameters });
  value(await trading.quote(quoted));
  for (
    const overrides of [
      { idempotencyKey: first.idempotencyKey, parameters: "of another" },
      { idempotencyKey: quoted.idempotencyKey, parameters },
    ]
  ) {
    const outcome = await trading.cancelWithdrawal(bank.cancel(made[0]!.id, overrides));
    assertEquals(codeOf(outcome), "idempotency_key_conflict");
  }
});

test("withdrawals of a batch are placed in their order, and each is answered for itself", async () => {
  await admitTestPartner(database, { cashHalalas: 7n });
  const bank = await admitTestPartner(database, { cashHalalas: 500n });
  const commands = [300n, 400n, 200n].map((amount) => bank.withdraw(amount));
  const items = commands.map((command) => commandItem(command, random));
  const outcomes = await withdrawalWork(app).run(items, false);
  const short = { asset: "SAR", available: { decimal: "2" }, needed: { decimal: "4" } };
  assertEquals(
    outcomes.map((outcome) => outcome.ok ? outcome.value.amountHalalas : outcome.meta),
    [300n, short, 200n],
  );
  for (const n of [0, 2]) {
    const [replay] = await withdrawalWork(app).run([commandItem(commands[n]!, random)], false);
    assert(replay!.ok && replay!.replayed);
    assertEquals(WITHDRAWAL.write(replay!.value), WITHDRAWAL.write(value(outcomes[n]!)));
  }
  const quoted = bank.quote({}, { parameters: commands[0]!.parameters });
  value(await trading.quote(quoted));
  const { idempotencyKey } = quoted;
  const conflict = await trading.withdraw(bank.withdraw(1n, { idempotencyKey }));
  assertEquals(codeOf(conflict), "idempotency_key_conflict");
});

test("the ledger shows what a cancellation's key moved, however long its transaction takes", async (t) => {
  const { sql } = database;
  const [clock] = await sql<{ text: string }[]>`
    select pg_get_functiondef('service_time'::regproc) as text`;
  t.after(() => sql.unsafe(clock!.text));
  // A millisecond passes whenever somebody looks.
  await sql.unsafe(`create sequence looks; grant usage on sequence looks to public`);
  await sql.unsafe(clock!.text.replace("interval '1 ms'", "$& + nextval('looks') * $&"));
  const bank = await admitTestPartner(database, { cashHalalas: 500n });
  const { id } = value(await trading.withdraw(bank.withdraw(300n)));
  const command = bank.cancel(id);
  value(await trading.cancelWithdrawal(command));
  const { partnerId } = bank;
  const { idempotencyKey } = command;
  const moved = await reading.listLedgerEntries({ partnerId, limit: 9, idempotencyKey });
  assert(moved.ok);
  assertEquals(
    moved.page.data.map((
      { debitAccount, creditAccount, amount, sourceId },
    ) => [debitAccount, creditAccount, amount, sourceId]),
    [["withdrawals", "cash", 300n, id]],
  );
});

test("a withdrawal that is on its way to the bank, or was paid or returned, is not cancelled", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 900n });
  const act = actsOn(database);
  for (const last of ["processing", "completed", "failed"] as const) {
    const { id: withdrawal } = value(await trading.withdraw(bank.withdraw(300n)));
    assert((await act("withdrawal.processing", { withdrawal })).ok);
    if (last === "completed") assert((await act("withdrawal.completed", { withdrawal })).ok);
    if (last === "failed") {
      assert((await act("withdrawal.failed", { withdrawal, failure: "closed" })).ok);
    }
    const late = await trading.cancelWithdrawal(bank.cancel(withdrawal));
    assertEquals(late.ok ? {} : late.meta, { status: last });
  }
  assertEquals(await reconcile(database, bank), []);
});

test("withdrawals of one moment are to be paid once each, whatever a page holds", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 900n });
  const made = await Promise.all([1, 2, 3].map(() => trading.withdraw(bank.withdraw(300n))));
  const ids = made.map((outcome) => value(outcome).id).toSorted();
  const { partnerId } = bank;
  await byForce(
    database,
    `update withdrawals set created_at = now() where partner_id = ${partnerId}`,
  );
  const clientId = await clientIdOf(database, partnerId);
  for (const limit of [1, 2, 3, 4]) {
    const listed: string[] = [];
    for (let isMore = true; isMore;) {
      const after = listed.length > 0 ? parseId("wd", listed.at(-1)!) : undefined;
      const page = await listWithdrawalsToPay(database.sql, { clientId, after, limit });
      listed.push(...page.map(({ id }) => id));
      isMore = page.length === limit;
    }
    assertEquals(listed, ids, `pages of ${limit}`);
  }
});

test("a cancellation whose answer was lost is distinguished from another call's", async () => {
  const bank = await admitTestPartner(database, { cashHalalas: 500n });
  const made = value(await trading.withdraw(bank.withdraw(300n)));
  const item = commandItem(bank.cancel(made.id), random);
  const { run } = cancelWork(app);
  const replays: (boolean | undefined)[] = [];
  // The answer to the first is lost; then the same item again, then another of the same key.
  for (const attempt of [item, item, commandItem(item.command, random)]) {
    const [outcome] = await run([attempt], true);
    replays.push(outcome!.ok ? outcome!.replayed : undefined);
  }
  assertEquals(replays, [false, false, true]);
});
