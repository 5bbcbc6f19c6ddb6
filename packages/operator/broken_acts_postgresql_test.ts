import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { performAct, tryAct } from "@sabika/office/acts";
import { codeOf } from "../../test/support/acts.ts";
import { holdLock } from "../../test/support/hold_lock.ts";
import { byForce } from "../../test/support/by_force.ts";
import { openPartnerOfCell } from "../../test/support/partner_of_cell.ts";
import { value } from "../../test/support/test_market.ts";
import { until } from "../../test/support/until.ts";
import { untilWaiting } from "../../test/support/until_waiting.ts";

// (D53) Acts on a partner of another cell that are broken off on the way, or requested twice at once.

const opened = await openPartnerOfCell();
after(opened.close);
const { admin, control, cell, cells, sabika, trading, bank } = opened;
const { refusalOf, grams, assertBooksAgree, breakOff, bookOpen } = opened;
await sabika("vault", "allocate", "of-b", "500");
await sabika("funding", "credit", "of-b", "1000", "--reference", "FT-1");

test("an act broken off between control and cell is booked once, and its gold stays promised", async () => {
  const before = await grams();
  await breakOff("vault.allocate", { partner: "of-b", grams: "50" });
  assertEquals(await grams(), { promised: before.promised + 50, held: before.held });
  await assertBooksAgree();
  await breakOff("vault.release", { partner: "of-b", grams: "20" });
  await breakOff("funding.credit", { partner: "of-b", amount_sar: "7", reference: "FT-2" });
  const open = async () => [
    ...await control.database.sql<{ act_id: string; name: string }[]>`
      select act_id, name from cell_acts where result is null order by recorded_at`,
  ];
  const acts = await open();
  assertEquals(acts.map(({ name }) => name), ["vault.allocate", "vault.release", "funding.credit"]);
  const copied = async () =>
    (await cell.database.sql`select from cell_acts where act_id = ${acts[2]!.act_id}`).length === 1;
  await until(copied);

  // The cell has booked the release, and control was not told.
  await cell.app.sql`select book_act(${acts[1]!.act_id}::uuid, gen_random_uuid())`;
  assertEquals(await grams(), { promised: before.promised + 50, held: before.held - 20 });

  await Promise.all(Array.from({ length: 4 }, bookOpen));
  assertEquals(await open(), []);
  assertEquals(await grams(), { promised: before.promised + 30, held: before.held + 30 });
  const booked = await cell.database.sql<{ times: number }[]>`
    select count(*)::int as times from transfers
    where source_id in (select act_id from cell_acts) or source_id in (
      select subject_id from cell_acts where name = 'funding.credit' and note = 'FT-2')
    group by source_id`;
  assertEquals(booked.filter(({ times }) => times !== 1), []);
  const credited = await sabika("funding", "credit", "of-b", "7", "--reference", "FT-2");
  assertEquals(credited["repeated"], true);
  await assertBooksAgree();
});

test("a reference that is credited twice at once is one credit, with one audit entry", async () => {
  const input = { partner: "of-b", amount_sar: "9", reference: "FT-3" };
  await breakOff("funding.credit", input);
  const refused = await refusalOf("funding", "credit", "of-b", "8", "--reference", "FT-3");
  assertStringIncludes(refused, "credited before, with 9");
  const twice = async (reference: string) => {
    const act = { name: "funding.credit", arguments: { ...input, reference } };
    const outcomes = await Promise.all([1, 2].map(() => performAct({ ...admin, cells }, act)));
    return outcomes.map((outcome) => {
      assert(outcome.ok && "done" in outcome.value);
      return (outcome.value.done as { repeated: boolean }).repeated;
    }).sort();
  };
  assertEquals(await twice("FT-3"), [true, true]);
  assertEquals(await twice("FT-4"), [false, true]);
  const [written] = await control.database.sql<{ acts: number; entries: number }[]>`
    select (select count(*)::int from cell_acts where note in ('FT-3', 'FT-4')) as acts,
      (select count(*)::int from audit_log where action = 'funding.credit'
        and detail::json ->> 'reference' in ('FT-3', 'FT-4')) as entries`;
  assertEquals({ ...written }, { acts: 2, entries: 2 });
  await assertBooksAgree();
});

test("a withdrawal that two people settle at once is settled by one of them, with one audit entry", async () => {
  const { id } = value(await trading.withdraw(bank.withdraw(300n)));
  const input = { withdrawal: id };
  const atOnce = async (...names: string[]) => {
    const outcomes = await Promise.all(
      names.map((name) => performAct({ ...admin, cells }, { name, arguments: input })),
    );
    return outcomes.map(codeOf).sort();
  };
  const once = ["done", "invalid_state"];
  assertEquals(await atOnce("withdrawal.processing", "withdrawal.processing"), once);
  // While the first one's command is broken off, a second person is told so, and the servers book the act.
  await breakOff("withdrawal.completed", input);
  assertStringIncludes(
    await refusalOf("withdrawal", "fail", id, "--reason", "account closed"),
    "withdrawal.completed is recorded",
  );
  await until(async () => {
    await bookOpen();
    return (await control.database.sql`select from cell_acts where result is null`).length === 0;
  });
  const cancelled = value(await trading.withdraw(bank.withdraw(400n)));
  input.withdrawal = cancelled.id;
  assertEquals(await atOnce("withdrawal.cancelled", "withdrawal.processing"), once);
  const entries = await control.database.sql<{ id: string; n: number }[]>`
    select detail::json ->> 'withdrawalId' as id, count(*)::int as n from audit_log
    where detail::json ->> 'withdrawalId' in (${id}, ${cancelled.id}) group by 1 order by 1`;
  assertEquals(entries.map((entry) => ({ ...entry })), [{ id, n: 2 }, { id: cancelled.id, n: 1 }]);
  const refused = await control.database.sql`select from cell_acts where result = 'wrong_status'`;
  assertEquals(refused.length, 0);
  await assertBooksAgree();
});

test("an act is not recorded for a cell that the partner has left while it waited for the partner", async () => {
  const { sql } = control.database;
  const counted = async () => (await sql`select from cell_acts`).length;
  const before = await counted();
  const leave = await holdLock(control.database, async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`update partners set cell_id = 'main' where client_id = 'of-b'`;
  });
  const act = { name: "webhook.enable", arguments: { partner: "of-b" } };
  const asked = performAct({ ...admin, cells }, act);
  await untilWaiting(control.database);
  await leave();
  const outcome = await asked;
  await byForce(control.database, "update partners set cell_id = 'b' where client_id = 'of-b'");
  assertEquals([outcome.ok, await counted() - before], [false, 0]);
  assertStringIncludes(outcome.ok ? "" : outcome.detail, "moved to another cell");
});

test("no transaction of control is open while a cell is opened, which asks control itself", async () => {
  const transactions: number[] = [];
  const within = {
    ...admin,
    cells: {
      ...cells,
      async open() {
        const held = await control.database.sql`select from pg_stat_activity
          where datname = current_database() and state like 'idle in transaction%'`;
        transactions.push(held.length);
        return cell.database;
      },
    },
  };
  const { id: withdrawal } = value(await trading.withdraw(bank.withdraw(100n)));
  const acts = [
    ["webhook.enable", { partner: "of-b" }],
    ["withdrawal.cancelled", { withdrawal }],
    ["partner.pool.set", { partner: "of-b", pool: "main" }],
  ] as const;
  for (const [name, input] of acts) {
    await tryAct(within, name, JSON.stringify(input));
    await performAct(within, { name, arguments: input });
  }
  assert(transactions.length >= acts.length);
  assertEquals(transactions.filter((held) => held > 0), []);
});

test("an act that the cell refuses in the end is in the audit log, and promises no gold", async () => {
  const before = await grams();
  await breakOff("vault.release", { partner: "of-b", grams: String(before.held) });
  // The copy of the act is booked after the release that follows.
  await sabika("vault", "release", "of-b", "1");
  await until(async () => {
    await bookOpen();
    return (await control.database.sql`select from cell_acts where result is null`).length === 0;
  });
  assertEquals(await grams(), { promised: before.promised - 1, held: before.held - 1 });
  const [entry] = await sabika<{ action: string; detail: { reason: string } }[]>("audit", "list");
  assertEquals([entry!.action, entry!.detail.reason], ["act.refused", "insufficient_allocation"]);
  await assertBooksAgree();
  await sabika("audit", "verify");
});
