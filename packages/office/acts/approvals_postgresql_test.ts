import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { type ActArguments, makePersonsKey } from "@sabika/identity/signatures";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { feedUrlForPeople } from "@sabika/service/prices";
import { ROLES } from "@sabika/terms";
import { codeOf } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { holdLock } from "../../../test/support/hold_lock.ts";
import { openTestBank } from "../../../test/support/test_admin.ts";
import { openTestTrading, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { poolActs } from "../../../test/support/vault_dossiers.ts";
import { addPerson, type TestPerson } from "../../../test/support/test_people.ts";
import { until } from "../../../test/support/until.ts";
import { readApprovalPolicy } from "./approval_rules.ts";
import { performAct } from "./perform.ts";
import { listApprovals } from "./read_approvals.ts";

const act = (name: string, input: ActArguments) => ({ name, arguments: input });
const withdrawals: string[] = [];

const { admin } = await openTestBank();
const { database } = admin;
const bank = await admitTestPartner(database, { cashHalalas: 1_000_00n });
const trading = await openTestTrading({ database });
for (let n = 0; n < 3; n++) {
  withdrawals.push(value(await trading.withdraw(bank.withdraw(100_00n))).id);
  if (n === 0) continue;
  const step = act("withdrawal.processing", { withdrawal: withdrawals[n]! });
  assert((await performAct(admin, step)).ok);
}
for (const [name, roles] of [["guest", ["vault"]], ["idle", []]] as const) {
  assert((await performAct(admin, act("operator.add", { operator: name, roles }))).ok);
}
assert((await performAct(admin, act("operator.disable", { operator: "idle" }))).ok);
const amal = await addPerson(admin, "amal", ROLES);
const badr = await addPerson(admin, "badr", ROLES);
after(() => admin.close());

/** Asks for an act that has to wait; returns the request's id. */
async function request(name: string, input: ActArguments = {}, person = amal): Promise<string> {
  const asked = await person.ask(name, input);
  assert(asked.ok && "waiting" in asked.value, `${name}: ${JSON.stringify(asked)}`);
  return asked.value.waiting;
}

async function load(id: string) {
  const [approval] = await listApprovals(admin.database.sql, "sandbox", { nowMs: Date.now(), id });
  return approval!;
}

async function signApproval(id: string, person: TestPerson) {
  return await person.sign("approval.approve", { request: id, sha256: (await load(id)).sha256 });
}

const approve = async (id: string, person = badr) =>
  await performAct(admin, await signApproval(id, person));

/** How often an act was carried out, by its audit entries. */
async function timesDone(id: string): Promise<number> {
  const [row] = await admin.database.sql<{ n: number }[]>`select count(*)::integer as n
    from audit_log join acts using (act_id) where act_id = ${id}::uuid and action = name`;
  return row!.n;
}

test("by every rule one person cannot do the act, not even by asking twice, and two do it once", async () => {
  const key = async () => (await makePersonsKey()).publicPem;
  const partner = "bank-one";
  const cases: [name: string, input: ActArguments, person?: TestPerson][] = [
    ["withdrawal.processing", { withdrawal: withdrawals[0]! }],
    ["withdrawal.completed", { withdrawal: withdrawals[1]! }],
    ["withdrawal.failed", { withdrawal: withdrawals[2]!, failure: "account closed" }],
    ["funding.credit", { partner, amount_sar: "100000.01", reference: "FT1" }],
    ["iban.set", { partner, iban: "SA4420000001234567891234" }],
    ["webhook.set", { partner, url: "https://hooks.bank.example/other" }],
    ["partner.update", { partner, spread_percent: "30" }],
    ["partner.update", { partner, fee_percent: "50", spread_percent: "0.5" }],
    ["partner.update", { partner, spread_percent: "0.05" }],
    ["tax.set", { partner, gold_vat_percent: "0", fee_vat_percent: "15", from_day: "2999-01-01" }],
    ["signing-key.add", { partner, key: await key() }],
    ["signing-key.rotate", { partner, key: await key(), overlap_ms: 1_000 }],
    ["price.set", { source: "fixed", mid_price_sar: "485.25" }],
    ["reserve.bank.set", { day: "2026-01-01", amount_sar: "100.50" }],
    ...await poolActs(admin, amal, partner),
    ["vault.bar.remove", { serial: "B-4" }],
    ["operator.add", { operator: "newcomer", roles: ["treasury"] }],
    ["operator.enable", { operator: "idle" }],
    ["operator.role.add", { operator: "guest", role: "treasury" }],
    ["operator.role.remove", { operator: "guest", role: "vault" }],
    ["operator.key.add", { operator: "guest", key: await key() }],
    ["operator.link", { operator: "guest", link_sha256: "ab".repeat(32) }],
    [
      "operator.identity.add",
      { operator: "guest", issuer: "https://login.bank.example", subject: "guest-1" },
    ],
    ["policy.set", { act: "vault.allocate", conditions: ["grams above 10"], approvers: ["vault"] }],
    ["policy.remove", { act: "vault.allocate" }],
    ["policy.time", { seconds: 3_600 }],
    ["policy.administrators", { least: 2 }],
    [
      "operator.key.rotate",
      { key: await key() },
      await addPerson(admin, "rotating", ["prices"], { breakGlass: "a test" }),
    ],
  ];
  const { rules } = await readApprovalPolicy(admin.database.sql);
  assertEquals(
    [...new Set(cases.map(([name]) => name))].sort(),
    rules.map((rule) => rule.act).sort(),
  );
  for (const [name, input, person = amal] of cases) {
    const id = await request(name, input, person);
    assertEquals([await timesDone(id), (await load(id)).state], [0, "waiting"], name);
    assertEquals(codeOf(await approve(id, person)), "not_permitted", name);
    assertEquals(codeOf(await performAct(admin, await person.sign(name, input))), "done", name);
    assertEquals(await timesDone(id), 0, name);
    assertEquals(codeOf(await approve(id)), "done", name);
    assertEquals([await timesDone(id), (await load(id)).state], [1, "done"], name);
    assertEquals(codeOf(await approve(id)), "invalid_state", name);
    assertEquals(await timesDone(id), 1, name);
  }
  // Within the bounds one person is enough.
  const samples = [
    ["funding.credit", { partner, amount_sar: "100000", reference: "FT2" }],
    ["partner.update", { partner, spread_percent: "0.4", fee_percent: "0.2" }],
    ["price.set", { source: "simulated" }],
  ] as const;
  for (const [name, input] of samples) {
    const asked = await amal.ask(name, input);
    assert(asked.ok && "done" in asked.value, name);
  }
});

test("50 approvals at once carry the act out once", async () => {
  const input = { partner: "bank-one", amount_sar: "250000", reference: "FT50" };
  const id = await request("funding.credit", input);
  const asked = await Promise.all(Array.from({ length: 50 }, () => signApproval(id, badr)));
  const outcomes = await Promise.all(asked.map((signed) => performAct(admin, signed)));
  assertEquals(outcomes.filter(({ ok }) => ok).length, 1);
  assertEquals(await timesDone(id), 1);
  const [row] = await admin.database.sql<{ n: number }[]>`
    select count(*)::integer as n from fundings where reference = 'FT50'`;
  assertEquals(row!.n, 1);
});

test("an approval that is killed half way does nothing, and the next carries the act out once", async () => {
  const { testDatabase, database: { sql } } = admin;
  const input = { partner: "bank-one", amount_sar: "300000", reference: "FT-KILL" };
  const id = await request("funding.credit", input);
  const connection = openDatabase(testDatabase.url, { maxConnections: 1 });
  // The money is credited, and its entry waits for the head of the log.
  const release = await holdLock(admin.database, (tx) => tx`select from audit_head for update`);
  const [row] = await connection.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const { pid } = row!;
  const asked = await signApproval(id, badr);
  const killed = performAct({ ...admin, database: connection }, asked).then(codeOf, () => "killed");
  await until(async () => {
    const [found] =
      await sql`select wait_event_type from pg_stat_activity where pid = ${pid}::integer`;
    return found?.["wait_event_type"] === "Lock";
  });
  await sql`select pg_terminate_backend(${pid}::integer)`;
  assertEquals(await killed, "killed");
  await release();
  await connection.close();
  assertEquals([await timesDone(id), (await load(id)).state], [0, "waiting"]);
  assertEquals((await sql`select from fundings where reference = 'FT-KILL'`).length, 0);
  assertEquals(codeOf(await performAct(admin, asked)), "done");
  assertEquals(await timesDone(id), 1);
});

test("changed facts make a request void, and so does a requester who lost the right to it", async () => {
  const input = { partner: "bank-one", iban: "SA0380000000608010167519" };
  const changed = await request("iban.set", input);
  assert((await amal.ask("partner.suspend", { partner: "bank-one" })).ok);
  const outcome = await approve(changed);
  assert(outcome.ok && "done" in outcome.value);
  assertEquals([(await load(changed)).state, await timesDone(changed)], ["void", 0]);
  assertEquals(codeOf(await approve(changed)), "invalid_state");
  assert((await amal.ask("partner.resume", { partner: "bank-one" })).ok);

  const leaving = await addPerson(admin, "leaving", ["partners"], { breakGlass: "a test" });
  const left = await request("iban.set", input, leaving);
  assert((await amal.ask("operator.disable", { operator: "leaving" })).ok);
  assert((await approve(left)).ok);
  assertEquals([(await load(left)).state, await timesDone(left)], ["void", 0]);
});

test("only roles of the rule decide on a request, in time and on that act; its requester may withdraw it", async () => {
  const vaultKeeper = await addPerson(admin, "keeper", ["vault"], { breakGlass: "a test" });
  const input = { partner: "bank-one", amount_sar: "200000", reference: "FT3" };
  const id = await request("funding.credit", input);
  assertEquals(codeOf(await approve(id, vaultKeeper)), "not_permitted");
  const reason = { request: id, reason: "no" };
  assertEquals(codeOf(await vaultKeeper.ask("approval.reject", reason)), "not_permitted");
  const wrongHash = { request: id, sha256: "00".repeat(32) };
  assertEquals(codeOf(await badr.ask("approval.approve", wrongHash)), "invalid_state");
  const unsigned = act("approval.approve", { request: id, sha256: "x" });
  assertEquals(codeOf(await performAct(admin, unsigned)), "person_required");
  const broken = { ...unsigned, breakGlass: "in a hurry" };
  assertEquals(codeOf(await performAct(admin, broken)), "person_required");
  assertEquals(codeOf(await amal.ask("approval.reject", reason)), "done");
  assertEquals(codeOf(await approve(id)), "invalid_state");

  const expired = await request("funding.credit", { ...input, reference: "FT4" });
  const expiry = `set expires_at = now() - interval '1 second' where request_id = '${expired}'`;
  await byForce(admin.database, `update approvals ${expiry}`);
  assertEquals((await load(expired)).state, "expired");
  assertEquals(codeOf(await approve(expired)), "invalid_state");
  assertEquals(await timesDone(expired), 0);
  // An act that would be refused is refused at once, and so is a rule for an act that cannot wait.
  const unknown = { ...input, partner: "nobody", reference: "FT5" };
  assertEquals(codeOf(await amal.ask("funding.credit", unknown)), "not_found");
  for (const rule of ["authority.install", "policy.remove", "no.such", "toString"]) {
    const wrong = { act: rule, conditions: [], approvers: ["vault"] };
    assert(!(await amal.ask("policy.set", wrong)).ok, rule);
  }
  for (const condition of ["amount_sar over 5", "grams above 5", "amount_sar outside 5"]) {
    const wrong = { act: "funding.credit", conditions: [condition], approvers: ["vault"] };
    assertEquals(codeOf(await amal.ask("policy.set", wrong)), "invalid_setting");
  }
});

test("what shows a secret, or needs one, is done when its requester asks again, once", async () => {
  const act = "client-secret.rotate";
  await approve(await request("policy.set", { act, conditions: [], approvers: ["partners"] }));
  const url = "https://prices.example/gold?key=hush";
  const feed = { url: feedUrlForPeople(url), path: "$.price" };
  const url_sha256 = await sha256Hex(encodeUtf8(url));
  const cases = [
    [act, { partner: "bank-one", overlap_ms: 0 }, undefined],
    ["price.set", { source: "feed", feed, url_sha256 }, url],
  ] as const;
  for (const [name, input, attachment] of cases) {
    const sign = async (person = amal) => ({ ...await person.sign(name, input), attachment });
    const first = await sign();
    const asked = await performAct(admin, first);
    assert(asked.ok && "waiting" in asked.value && asked.value.isForRequester, name);
    const id = asked.value.waiting;
    const approved = await approve(id);
    assert(approved.ok && "done" in approved.value);
    assertEquals(approved.value.done, { state: "approved" });
    assertEquals([await timesDone(id), (await load(id)).state], [0, "approved"], name);
    // What was sent before opens nothing, nor does what somebody else sends.
    assertEquals(codeOf(await performAct(admin, first)), "already_exists");
    const isDone = async (person = amal) => {
      const outcome = await performAct(admin, await sign(person));
      return outcome.ok && "done" in outcome.value;
    };
    assertEquals([await isDone(badr), await isDone()], [false, true], name);
    assertEquals([await timesDone(id), (await load(id)).state], [1, "done"], name);
    assertEquals(await isDone(), false, name);
  }
  const wrong = { ...await amal.sign("price.set", cases[1][1]), attachment: `${url}er` };
  assertEquals(codeOf(await performAct(admin, wrong)), "invalid_setting");
  const [row] = await admin.database.sql`select string_agg(detail, '') as log from audit_log`;
  assert(!row!["log"].includes("hush"));
});

test("the database itself refuses a requester's own approval, a second one, and changes by hand", async () => {
  const { sql } = admin.database;
  const input = { partner: "bank-one", amount_sar: "200000", reference: "FT6" };
  const id = await request("funding.credit", input);
  const insert =
    `insert into acts select gen_random_uuid(), 'approval.approve', '{"request":"${id}"}', now(),
    operator_id, key_id, 'x' from operator_keys join operators using (operator_id)
    where name = 'NAME' limit 1 returning act_id, operator_id`;
  const decide = async (name: string) => {
    const [row] = await sql.unsafe(insert.replace("NAME", name));
    return await sql`update approvals set state = 'done', decision_id = ${row!["act_id"]}::uuid,
      decider_id = ${
      row!["operator_id"]
    }::integer, decided_at = now() where request_id = ${id}::uuid`;
  };
  await assertRejects(() => decide("amal"), Error, "approvals_second_person");
  await decide("badr");
  await assertRejects(() => decide("badr"), Error, "append only");
  await assertRejects(() => sql`delete from approvals`, Error, "append only");
  await assertRejects(() => sql`update approvals set facts = ''`, Error, "append only");
  const rule = sql`update approval_rules set conditions = '["act is x"]' where act = 'policy.set'`;
  await assertRejects(() => rule, Error, "append only");
  const { findings } = await withAuditRecord(sql, verifyAudit);
  assertEquals(findings, []);
});
