import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listApprovals } from "@sabika/office/acts";
import { readBalanceRounds } from "@sabika/office/oversight";
import { checkBalances } from "@sabika/service/ledger";
import { ROLES } from "@sabika/terms";
import { openPartnerOfCell } from "../../test/support/partner_of_cell.ts";
import { envAtOffice, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { startServedOffice } from "../../test/support/served_office.ts";
import { trade, value } from "../../test/support/test_market.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { each } from "../../test/support/each.ts";
import { TEST_IBAN } from "../../test/support/test_partner.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

// (D53) Acts on a partner whose rows are in another database than control's, which signs and records them.

const opened = await openPartnerOfCell();
after(opened.close);
const { admin, control, cell, cells, sabika, env, partnerId, trading, bank } = opened;
const { refusalOf, grams, assertBooksAgree, breakOff } = opened;

test("a partner of another cell gets gold and money, and is paid out, by the usual commands", async () => {
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
    ids.push(value(await trading.withdraw(bank.withdraw(amount))).id);
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
  assertEquals(
    events.map(({ type }) => type),
    each(`
    funding.completed withdrawal.created withdrawal.created withdrawal.created
    withdrawal.completed withdrawal.failed withdrawal.cancelled`),
  );
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
  const order = await trade(trading, bank);
  const listed = async (...args: string[]) =>
    (await sabika<{ data: { id: string }[] }>(...args)).data.map(({ id }) => id);
  const ofB = ["--partner", "of-b"];
  assertEquals(await listed("order", "list"), [order.id]);
  assertEquals(await listed("order", "list", ...ofB), [order.id]);
  assertEquals(await listed("quote", "list", ...ofB), [order.quoteId]);
  const [event] = await listed("event", "list", ...ofB);
  const [funding] = await listed("funding", "list");
  const [withdrawal] = await sabika<{ id: string }[]>("withdrawal", "list", "--status", "all");
  const shown = [
    ["order", order.id],
    ["quote", order.quoteId],
    ["event", event!],
    ["funding", funding!],
    ["withdrawal", withdrawal!.id],
  ] as const;
  await Promise.all(shown.map(async ([noun, id]) => {
    assertEquals((await sabika(noun, "show", id))["client_id"], "of-b", noun);
  }));
  const story = await sabika<{ checks: object; event: object }>("order", "show", event!);
  assertEquals(Object.values(story.checks), [true, true, true, true]);
  const { entries } = await sabika<{ entries: object[] }>("statement", "show", "of-b");
  const [today] = await sabika<{ entries: number }[]>("statement", "list", ...ofB);
  assertEquals(today!.entries, entries.length);
  await assertBooksAgree();
});

test("a partner of another cell draws on another pool, and its accounts there know it (D102)", async () => {
  await sabika(
    ...commandLine`partner create --client-id roamer --name Roamer --with-keys --cell b
      --iban ${TEST_IBAN} --webhook-url https://127.0.0.1:1024/`,
  );
  await sabika("pool", "create", "second");
  await sabika(
    ...commandLine`vault bar add P-2 --refiner R --fineness 999 --weight 9 --pool second`,
  );
  await sabika("partner", "pool", "set", "roamer", "second", "--yes");
  assertStringIncludes(await refusalOf("vault", "allocate", "roamer", "10"), "less than 10 g");
  await sabika("vault", "allocate", "roamer", "5");
  const [own] = await cell.database
    .sql`select accounts.pool_number, version_id is not null as knows_version
    from accounts join partners using (partner_id) join pools on accounts.pool_number = pools.pool_number
    where client_id = 'roamer'`;
  assertEquals(own, { pool_number: 2, knows_version: true });
  const back = await refusalOf("partner", "pool", "set", "roamer", "main");
  assertStringIncludes(back, "has gold or an allocation of its pool");
  await assertBooksAgree();
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

test("a payment from a cell is approved on the facts it was requested on, and void once they changed", async () => {
  const within = { ...admin, cells };
  const input = { withdrawal: value(await trading.withdraw(bank.withdraw(100n))).id };
  const amal = await addPerson(within, "amal", ROLES);
  const badr = await addPerson(within, "badr", ROLES);
  const requests: string[] = [];
  for (let n = 0; n < 2; n++) {
    const asked = await amal.ask("withdrawal.processing", input);
    assert(asked.ok && "waiting" in asked.value, JSON.stringify(asked));
    requests.push(asked.value.waiting);
  }
  const approve = async (id: string) => {
    const [approval] = await listApprovals(control.database.sql, "sandbox", {
      nowMs: Date.now(),
      id,
    });
    const done = await badr.ask("approval.approve", { request: id, sha256: approval!.sha256 });
    assert(done.ok && "done" in done.value, done.ok ? "waits" : done.detail);
    return (done.value.done as { state: string }).state;
  };
  assertEquals(await approve(requests[1]!), "done");
  assertEquals(await approve(requests[0]!), "void");
});

test("the office acts on and reads partners of other cells, and recounts as the command does", async (t) => {
  const { SABIKA_BASE_URL: _url, SABIKA_DATA: _data, ...whole } = env;
  const { SABIKA_CELLS_FILE: _file, ...blindly }: Record<string, string> = whole;
  const carim = await addPerson({ ...admin, cells }, "carim", ROLES, { breakGlass: "a test" });
  const office = await startServedOffice(whole);
  const blind = await startServedOffice(blindly);
  const seeing = await envAtOffice(office.origin, env.SABIKA_DATA, carim);
  const unseeing = { ...seeing, SABIKA_ADMIN_URL: blind.origin };
  t.after(async () => {
    await office.stop();
    await blind.stop();
  });
  const before = await grams();
  await operatorOf(seeing)("vault", "allocate", "of-b", "1");
  assertEquals(await grams(), { promised: before.promised + 1, held: before.held + 1 });
  // The act that the test before has forged in the cell.
  const recount = ["reconcile", "--full", "--json"];
  const [there, here] = [
    await runOperator(recount, seeing),
    await runOperator(recount, env),
  ];
  assertEquals([there.code, there.stderr], [1, ""]);
  assertEquals(JSON.parse(there.stdout), JSON.parse(here.stdout));
  const { differences } = JSON.parse(there.stdout);
  assertEquals(differences.map(({ check }: { check: string }) => check), ["acts"]);
  // Servers compare balances in each cell: control has not had a round yet.
  assertEquals(await checkBalances(cell.app.sql), []);
  const rounds = await readBalanceRounds({ database: control.database, cells });
  assertEquals(rounds.map(({ cellId, round }) => [cellId, round?.wrongBalances]), [
    ["main", 0],
    ["b", 0],
  ]);
  assertEquals(rounds.map(({ round }) => round?.ageSeconds === undefined), [true, false]);
  const { data: [order] } = await sabika<{ data: { id: string }[] }>("order", "list");
  const lines = [
    "order list",
    "order list --partner of-b",
    `order show ${order!.id}`,
    "quote list --partner of-b",
    "event list --partner of-b",
    "funding list",
    "withdrawal list --status all",
    "statement list --partner of-b",
    "statement show of-b",
    "partner list",
    "partner show of-b",
    "webhook show of-b",
    "vault report",
  ];
  for (const line of lines) {
    const words = [...line.split(" "), "--json"];
    const [answered, database, unable] = await Promise.all([
      runOperator(words, seeing),
      runOperator(words, env),
      runOperator(words, unseeing),
    ]);
    assertEquals([answered.code, answered.stderr], [0, ""], line);
    // Time passes between the two reads.
    const still = (name: string, value: unknown) => name === "lag_seconds" ? null : value;
    assertEquals(JSON.parse(answered.stdout, still), JSON.parse(database.stdout, still), line);
    assertStringIncludes(unable.stderr, 'the cell \\"b\\" cannot be used', line);
  }
  // An office that cannot reach a cell says so, rather than too little.
  const refused = await runOperator(recount, unseeing);
  const { error } = JSON.parse(refused.stderr);
  assertStringIncludes(error.message, 'the cell "b" cannot be used');
  assertEquals(refused.stdout, "");
});
