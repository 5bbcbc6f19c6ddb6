import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ROLES } from "@sabika/core/admin";
import { checkBalances } from "@sabika/core/ledger";
import { listApprovals, performAct, UnbookedError } from "@sabika/core/office";
import { readBalanceRounds } from "@sabika/core/oversight";
import { bookOpenActs, createFixedPrice, createTrading } from "@sabika/core/trading";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { startServedOffice } from "../../test/support/served_office.ts";
import { openTestCells } from "../../test/support/test_cells.ts";
import { random, testPartner } from "../../test/support/test_partner.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { until } from "../../test/support/until.ts";

// (D53) Acts on a partner whose rows are in another database than control's, which signs and records them.

const opened = await openTestCells();
after(opened.close);
const { admin, control, cell, sabika, env } = opened;
const created = await sabika<{ client_id: string }>(
  ...["partner", "create", "--client-id", "of-b", "--name", "Of B", "--with-keys", "--cell", "b"],
  ...["--iban", "SA0380000000608010167519", "--webhook-url", "https://127.0.0.1:1024/"],
);
const [own] = await control.database.sql<{ id: number }[]>`
  select partner_id as id from partners where client_id = 'of-b'`;
const partnerId = own!.id;
const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
const trading = createTrading({ database: cell.app, prices, random, now: Date.now });
const bank = testPartner({
  ...{ partnerId, settlementIban: "SA0380000000608010167519" },
  settings: {
    quoteMinMicrograms: 10_000n,
    quoteMaxMicrograms: 10_000_000_000n,
    openQuotesLimit: 100,
    spreadPpm: 5_000n,
    feePpm: 2_500n,
  },
});

async function refusalOf(...args: string[]): Promise<string> {
  const { code, stderr } = await runOperator([...args, "--yes"], env);
  assertEquals(code, 1, stderr);
  return stderr;
}

/** What control has promised of the vault, in grams, and the partner's gold in its cell. */
async function grams(): Promise<{ promised: number; held: number }> {
  const [vault] = await control.database.sql<{ promised: number }[]>`
    select (allocated_micrograms / 1000000)::float8 as promised from vault`;
  const [own] = await cell.database.sql<{ held: number }[]>`
    select ((gold_micrograms + allocation_micrograms) / 1000000)::float8 as held
    from accounts where partner_id = ${partnerId}`;
  return { ...vault!, ...own! };
}

const cells = {
  names: () => Promise.resolve(["b"]),
  open: () => Promise.resolve(cell.database),
};

const assertBooksAgree = async () =>
  assertEquals((await sabika("reconcile", "--full"))["differences"], []);

test("a partner of another cell gets gold and money, and is paid out, by the usual commands", async () => {
  assertEquals(created.client_id, "of-b");
  await sabika(
    ...["vault", "bar", "add", "SA-1", "--refiner", "R", "--fineness", "999.9"],
    ...["--weight", "1000"],
  );
  assertEquals((await sabika("vault", "allocate", "of-b", "600"))["allocation_grams"], 600);
  assertStringIncludes(await refusalOf("vault", "allocate", "of-b", "401"), "less than 401");
  assertEquals((await sabika("vault", "release", "of-b", "100"))["allocation_grams"], 500);
  assertStringIncludes(await refusalOf("vault", "release", "of-b", "501"), "less than 501");
  assertEquals(await grams(), { promised: 500, held: 500 });

  const credit = ["funding", "credit", "of-b", "1000", "--reference", "FT-1"];
  const first = await sabika(...credit);
  assertEquals([first["balance_sar"], first["repeated"]], [1000, false]);
  const again = await sabika(...credit);
  assertEquals([again["id"], again["repeated"]], [first["id"], true]);
  assertStringIncludes(
    await refusalOf("funding", "credit", "of-b", "999", "--reference", "FT-1"),
    "credited before, with 1000",
  );

  const ids: string[] = [];
  for (const amount of [10_000n, 20_000n, 30_000n]) {
    const made = await trading.withdraw(bank.withdraw(amount));
    assert(made.ok);
    ids.push(made.value.id);
  }
  const listed = await sabika<{ id: string; client_id: string }[]>("withdrawal", "list");
  assertEquals(listed.map(({ id }) => id), ids);
  const [paid, failed, cancelled] = ids as [string, string, string];
  await sabika("withdrawal", "process", paid, "--yes");
  await sabika("withdrawal", "complete", paid, "--yes");
  await sabika("withdrawal", "process", failed, "--yes");
  await sabika("withdrawal", "fail", failed, "--reason", "account closed", "--yes");
  assertStringIncludes(await refusalOf("withdrawal", "cancel", failed), "is failed");
  await sabika("withdrawal", "cancel", cancelled, "--yes");
  const nobodys = "wd_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11";
  assertStringIncludes(await refusalOf("withdrawal", "cancel", nobodys), "no withdrawal");

  await sabika("webhook", "disable", "of-b", "--yes");
  assertStringIncludes(await refusalOf("webhook", "disable", "of-b"), "before");
  await sabika("webhook", "enable", "of-b");
  const events = await cell.database.sql<{ type: string; id: string }[]>`
    select type, event_id as id from events where partner_id = ${partnerId} order by sequence`;
  assertEquals(events.map(({ type }) => type), [
    "funding.completed",
    "withdrawal.created",
    "withdrawal.created",
    "withdrawal.created",
    "withdrawal.completed",
    "withdrawal.failed",
    "withdrawal.cancelled",
  ]);
  await sabika("webhook", "redeliver", "of-b", `evt_${events[0]!.id}`);

  const shown = await sabika<{ cell: string; balances: object }>("partner", "show", "of-b");
  assertEquals([shown.cell, shown.balances], [
    "b",
    { sar: 900, held_sar: 0, gold_grams: 0, allocation_grams: 500 },
  ]);
  const inControl = await control.database.sql`select from accounts`;
  assertEquals(inControl.length, 0);
  await assertBooksAgree();
  await sabika("audit", "verify");
});

test("what a partner of another cell did is listed and shown as any other's", async () => {
  const quote = await trading.quote(bank.quote());
  assert(quote.ok);
  const order = await trading.order(bank.order(quote.value.id));
  assert(order.ok);
  const listed = async (...args: string[]) =>
    (await sabika<{ data: { id: string }[] }>(...args)).data.map(({ id }) => id);
  const ofB = ["--partner", "of-b"];
  assertEquals(await listed("order", "list"), [order.value.id]);
  assertEquals(await listed("order", "list", ...ofB), [order.value.id]);
  assertEquals(await listed("quote", "list", ...ofB), [quote.value.id]);
  const [event] = await listed("event", "list", ...ofB);
  const [funding] = await listed("funding", "list");
  const [withdrawal] = await sabika<{ id: string }[]>("withdrawal", "list", "--status", "all");
  const shown = [
    ...[["order", order.value.id], ["quote", quote.value.id], ["event", event!]],
    ...[["funding", funding!], ["withdrawal", withdrawal!.id]],
  ] as const;
  for (const [noun, id] of shown) {
    assertEquals((await sabika(noun, "show", id))["client_id"], "of-b", noun);
  }
  const story = await sabika<{ checks: object; event: object }>("order", "show", event!);
  assertEquals(Object.values(story.checks), [true, true, true, true]);
  const { entries } = await sabika<{ entries: object[] }>("statement", "show", "of-b");
  const [today] = await sabika<{ entries: number }[]>("statement", "list", ...ofB);
  assertEquals(today!.entries, entries.length);
  await assertBooksAgree();
});

const chance = { nowMs: Date.now(), random };
/** What a server does every two seconds, with a server's rights. */
const bookOpen = () =>
  bookOpenActs({ control: control.app, cells: new Map([["b", cell.app]]), ...chance });

/**
 * Does an act whose program dies when control has committed, before the cell has booked it.
 *
 * @param looks how often the cell is opened until then
 */
async function breakOff(name: string, given: Record<string, string>, looks = 1): Promise<void> {
  let opened = 0;
  const cells = {
    names: () => Promise.resolve(["b"]),
    open: () =>
      opened++ < looks ? Promise.resolve(cell.database) : Promise.reject(new Error("killed")),
  };
  await assertRejects(
    () => performAct({ ...admin, cells }, { name, arguments: given }),
    UnbookedError,
    "do not ask again",
  );
}

test("what is broken off between control and cell is booked once, and gold is promised rather twice", async () => {
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
  const given = { partner: "of-b", amount_sar: "9", reference: "FT-3" };
  await breakOff("funding.credit", given);
  const refused = await refusalOf("funding", "credit", "of-b", "8", "--reference", "FT-3");
  assertStringIncludes(refused, "credited before, with 9");
  const twice = async (reference: string) => {
    const one = { name: "funding.credit", arguments: { ...given, reference } };
    const outcomes = await Promise.all([1, 2].map(() => performAct({ ...admin, cells }, one)));
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
  const made = await trading.withdraw(bank.withdraw(300n));
  assert(made.ok);
  const { id } = made.value;
  const given = { withdrawal: id };
  const atOnce = async (...names: string[]) => {
    const outcomes = await Promise.all(
      names.map((name) => performAct({ ...admin, cells }, { name, arguments: given })),
    );
    return outcomes.map((outcome) => outcome.ok ? "done" : outcome.code).sort();
  };
  const once = ["done", "invalid_state"];
  assertEquals(await atOnce("withdrawal.processing", "withdrawal.processing"), once);
  // Whoever comes while the first one's program is broken off is told, and the servers book it. (Whose
  // cell has it is looked up first.)
  await breakOff("withdrawal.completed", given, 2);
  assertStringIncludes(
    await refusalOf("withdrawal", "fail", id, "--reason", "account closed"),
    "withdrawal.completed is recorded",
  );
  await until(async () => {
    await bookOpen();
    return (await control.database.sql`select from cell_acts where result is null`).length === 0;
  });
  const cancelled = await trading.withdraw(bank.withdraw(400n));
  assert(cancelled.ok);
  given.withdrawal = cancelled.value.id;
  assertEquals(await atOnce("withdrawal.cancelled", "withdrawal.processing"), once);
  const entries = await control.database.sql<{ id: string; n: number }[]>`
    select detail::json ->> 'withdrawalId' as id, count(*)::int as n from audit_log
    where detail::json ->> 'withdrawalId' in (${id}, ${cancelled.value.id}) group by 1 order by 1`;
  assertEquals(entries.map((one) => ({ ...one })), [{ id, n: 2 }, {
    id: cancelled.value.id,
    n: 1,
  }]);
  const refused = await control.database.sql`select from cell_acts where result = 'wrong_status'`;
  assertEquals(refused.length, 0);
  await assertBooksAgree();
});

test("what the cell refuses after all is said in the audit log, and promises nothing anew", async () => {
  const before = await grams();
  // All but the gram that the partner has bought.
  await breakOff("vault.release", { partner: "of-b", grams: String(before.held - 1) });
  // Its copy is booked after what comes now.
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

test("a server books what control recorded and nothing else, and reconcile finds what nobody recorded", async () => {
  const [forged] = await cell.app.sql<{ result: string | null }[]>`
    select book_act(gen_random_uuid(), gen_random_uuid()) as result`;
  assertEquals(forged!.result, null);
  await breakOff("webhook.enable", { partner: "of-b" });
  const [open] = await control.database.sql<{ act_id: string }[]>`
    select act_id from cell_acts where result is null`;
  for (const result of ["insufficient_allocation", "anything"]) {
    const said = await control.app.sql`select finish_act(${open!.act_id}::uuid, ${result})`
      .then(() => "done", (error: Error) => error.message);
    assertEquals(said, `no cell says "${result}" of webhook.enable`);
  }
  const insert = (database: typeof cell.database) =>
    database.sql`insert into cell_acts (act_id, cell_id, partner_id, name, subject_id, amount)
      values (gen_random_uuid(), 'b', ${partnerId}, 'vault.allocate', gen_random_uuid(), 1)`
      .then(() => "done", (error: Error) => error.message);
  assertStringIncludes(await insert(cell.app), "permission denied");
  assertStringIncludes(await insert(control.app), "permission denied");

  await cell.database.sql`insert into booked_acts (partner_id, act_id, result, booked_at)
    values (${partnerId}, gen_random_uuid(), 'booked', now())`;
  const { code, stdout } = await runOperator(["reconcile", "--json"], env);
  assertEquals(code, 1);
  const { differences } = JSON.parse(stdout);
  assertEquals(differences.map(({ check }: { check: string }) => check), ["acts"]);
});

test("a payment from a cell is approved on what it was asked for, and void when that has changed", async () => {
  const within = { ...admin, cells };
  const made = await trading.withdraw(bank.withdraw(100n));
  assert(made.ok);
  const given = { withdrawal: made.value.id };
  const amal = await addPerson(within, "amal", ROLES);
  const badr = await addPerson(within, "badr", ROLES);
  const requests: string[] = [];
  for (let n = 0; n < 2; n++) {
    const asked = await amal.ask("withdrawal.processing", given);
    assert(asked.ok && "waiting" in asked.value, JSON.stringify(asked));
    requests.push(asked.value.waiting);
  }
  const approve = async (id: string) => {
    const [one] = await listApprovals(control.database.sql, "sandbox", { nowMs: Date.now(), id });
    const done = await badr.ask("approval.approve", { request: id, sha256: one!.sha256 });
    assert(done.ok && "done" in done.value, done.ok ? "waits" : done.detail);
    return (done.value.done as { state: string }).state;
  };
  assertEquals(await approve(requests[1]!), "done");
  assertEquals(await approve(requests[0]!), "void");
});

test("the office acts on and reads partners of other cells, and recounts as the command does", async () => {
  const { SABIKA_BASE_URL: _url, SABIKA_DATA: _data, ...whole } = env;
  const { SABIKA_CELLS_FILE: _file, ...blindly }: Record<string, string> = whole;
  const carim = await addPerson({ ...admin, cells }, "carim", ROLES, { breakGlass: "a test" });
  const key = join(env.SABIKA_DATA, "carim.key");
  await writeFile(key, carim.privatePem, { mode: 0o600 });
  const through = (origin: string) => ({
    ...{ SABIKA_ADMIN_URL: origin, SABIKA_OPERATOR_KEY_FILE: key, SABIKA_DATA: env.SABIKA_DATA },
    SABIKA_ENVIRONMENT: "sandbox",
  });
  const office = await startServedOffice(whole);
  const blind = await startServedOffice(blindly);
  try {
    const before = await grams();
    await operatorOf(through(office.origin))("vault", "allocate", "of-b", "1");
    assertEquals(await grams(), { promised: before.promised + 1, held: before.held + 1 });
    // What the test before has forged in the cell.
    const recount = ["reconcile", "--full", "--json"];
    const [there, here] = [
      await runOperator(recount, through(office.origin)),
      await runOperator(recount, env),
    ];
    assertEquals([there.code, there.stderr], [1, ""]);
    assertEquals(JSON.parse(there.stdout), JSON.parse(here.stdout));
    const { differences } = JSON.parse(there.stdout);
    assertEquals(differences.map(({ check }: { check: string }) => check), ["acts"]);
    // The balances, which servers compare in each cell: nobody has in control.
    assertEquals(await checkBalances(cell.app.sql), []);
    const rounds = await readBalanceRounds({ database: control.database, cells });
    assertEquals(rounds.map(({ cellId, round }) => [cellId, round?.wrongBalances]), [
      ["main", 0],
      ["b", 0],
    ]);
    assertEquals(rounds.map(({ round }) => round?.ageSeconds === undefined), [true, false]);
    const { data: [order] } = await sabika<{ data: { id: string }[] }>("order", "list");
    const lines = [
      ...["order list", "order list --partner of-b", `order show ${order!.id}`],
      ...["quote list --partner of-b", "event list --partner of-b", "funding list"],
      ...["withdrawal list --status all", "statement list --partner of-b", "statement show of-b"],
      ...["partner list", "partner show of-b", "webhook show of-b", "vault report"],
    ];
    for (const line of lines) {
      const words = [...line.split(" "), "--json"];
      const [answered, database] = [
        await runOperator(words, through(office.origin)),
        await runOperator(words, env),
      ];
      assertEquals([answered.code, answered.stderr], [0, ""], line);
      // Between the two readings time goes on.
      const still = (name: string, value: unknown) => name === "lag_seconds" ? null : value;
      assertEquals(JSON.parse(answered.stdout, still), JSON.parse(database.stdout, still), line);
      const { stderr } = await runOperator(words, through(blind.origin));
      assertStringIncludes(stderr, 'the cell \\"b\\" cannot be used', line);
    }
    // An office that cannot reach a cell says so, rather than too little.
    const refused = await runOperator(recount, through(blind.origin));
    const { error } = JSON.parse(refused.stderr);
    assertStringIncludes(error.message, 'the cell "b" cannot be used');
    assertEquals(refused.stdout, "");
  } finally {
    await office.stop();
    await blind.stop();
  }
});
