import { after, beforeEach, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ActArguments } from "@sabika/identity/signatures";
import { addBar } from "@sabika/service/vault";
import { ROLES } from "@sabika/terms";
import { byForce } from "../../../test/support/by_force.ts";
import { anAdmission, openTestAdmin, type TestAdmin } from "../../../test/support/test_admin.ts";
import { openTestTrading, value } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { addKey, addPerson, type TestPerson } from "../../../test/support/test_people.ts";
import { admitPartner } from "../partners/admit_partner.ts";
import { findRule } from "./approval_rules.ts";
import { performAct } from "./perform.ts";
import { listApprovals } from "./read_approvals.ts";

// Decision D87: limits over what is done in a day, by one person alone.

const withdrawals: string[] = [];

const DAY_MS = 86_400_000;
const RIYADH_MS = 3 * 3_600_000;
const dayOf = (ms: number) => Math.floor((ms + RIYADH_MS) / DAY_MS);
// All are signed on one day, also when midnight passes meanwhile.
const startMs = Date.now();
const signedMs = dayOf(startMs) === dayOf(startMs + 120_000) ? startMs : startMs - 120_000;

const admin = await openTestAdmin();
const { database } = admin;
for (const name of ["bank-one", "bank-two"]) {
  assert((await admitPartner(admin, anAdmission(name))).ok);
}
const bank = await admitTestPartner(database, { cashHalalas: 1_000_00n });
const trading = await openTestTrading({ database });
for (let n = 0; n < 4; n++) {
  const { id: withdrawal } = value(await trading.withdraw(bank.withdraw(100_00n)));
  withdrawals.push(withdrawal);
  const name = "withdrawal.processing";
  assert((await performAct(admin, { name, arguments: { withdrawal } })).ok);
}
const bar = { serial: "B-1", refiner: "R", finenessTenThousandths: 9_999 };
assert((await addBar(admin, { ...bar, weightMicrograms: 1_000_000_000n })).ok);
const amal = await addPerson(admin, "amal", ROLES);
const badr = await addPerson(admin, "badr", ROLES);
// Everything before was on another day.
beforeEach(() => signedOn(admin, "1970-01-01"));
after(() => admin.close());

const signedOn = ({ database }: TestAdmin, moment: string) =>
  byForce(database, `update acts set signed_at = '${moment}'`);

const setRule = (act: string, ...conditions: string[]) =>
  byForce(
    admin.database,
    `insert into approval_rules values ('${act}', '${JSON.stringify(conditions)}', '["treasury"]')
      on conflict (act) do update set conditions = excluded.conditions, approvers = excluded.approvers`,
  );

/** Asks for an act; returns "done", "waits" or the code of its refusal. */
async function ask(person: TestPerson, name: string, input: ActArguments): Promise<string> {
  const outcome = await performAct(admin, await person.sign(name, input, signedMs));
  return outcome.ok ? ("done" in outcome.value ? "done" : "waits") : outcome.code;
}

/** Approves a request as another person. */
async function approve(request: string, person = badr) {
  const query = { nowMs: Date.now(), id: request };
  const [waiting] = await listApprovals(admin.database.sql, "sandbox", query);
  return await person.ask("approval.approve", { request, sha256: waiting!.sha256 });
}

const CREDIT = { partner: "bank-one", amount_sar: "5" };
let references = 0;
const credit = (person: TestPerson, amount_sar: string, partner = "bank-one") =>
  ask(person, "funding.credit", { partner, amount_sar, reference: `FT-${++references}` });

test("a person's sum in a day holds at the bound, and over it by one halala in many small ones", async () => {
  await setRule("funding.credit", "amount_sar above 1000", "amount_sar above 3000 a day by person");
  for (let n = 0; n < 29; n++) assertEquals(await credit(amal, "100"), "done");
  assertEquals(await credit(amal, "100.01"), "waits");
  assertEquals(await credit(amal, "100"), "done");
  assertEquals(await credit(amal, "0.01", "bank-two"), "waits");
  // Another person has a sum of their own, and a credit over the bound for each still waits.
  assertEquals(await credit(badr, "1000"), "done");
  assertEquals(await credit(badr, "1000.01"), "waits");
});

test("a sum of all people, and one by partner, count what two do together", async () => {
  await setRule("funding.credit", "amount_sar above 500 a day");
  assertEquals(await credit(amal, "250"), "done");
  assertEquals(await credit(badr, "250", "bank-two"), "done");
  assertEquals(await credit(amal, "0.01"), "waits");
  await setRule("funding.credit", "amount_sar above 400 a day by partner");
  assertEquals(await credit(badr, "150"), "done");
  assertEquals(await credit(badr, "0.01"), "waits");
  assertEquals(await credit(badr, "150", "bank-two"), "done");
  assertEquals(await credit(amal, "0.01", "bank-two"), "waits");
});

test("what two people approved, and what waits, is not counted against one", async () => {
  await setRule("funding.credit", "amount_sar above 500 a day");
  const asked = await amal.sign("funding.credit", {
    partner: "bank-one",
    amount_sar: "9000",
    reference: "BIG",
  }, signedMs);
  const waiting = await performAct(admin, asked);
  assert(waiting.ok && "waiting" in waiting.value);
  assertEquals(await credit(amal, "250"), "done");
  const request = waiting.value.waiting;
  const { listApprovals } = await import("./read_approvals.ts");
  const query = { nowMs: Date.now(), id: request };
  const [approval] = await listApprovals(admin.database.sql, "sandbox", query);
  assertEquals(
    await ask(badr, "approval.approve", { request, sha256: approval!.sha256 }),
    "done",
  );
  assertEquals(await credit(amal, "250"), "done");
  assertEquals(await credit(amal, "0.01"), "waits");
});

test("a person with two keys is one person, and approves nothing that the other key requested", async () => {
  await setRule("funding.credit");
  const dina = await addPerson(admin, "dina", ["treasury"], { breakGlass: "a test" });
  const other = await addKey(admin, dina.name, { breakGlass: "a test" });
  const asked = await dina.ask("funding.credit", { ...CREDIT, reference: "FT-two-keys" });
  assert(asked.ok && "waiting" in asked.value);
  const approved = await approve(asked.value.waiting, other);
  assertEquals(approved.ok ? "ok" : approved.code, "not_permitted");
});

test("a request is void once the key that signed it has ended", async () => {
  await setRule("funding.credit");
  const elif = await addPerson(admin, "elif", ["treasury"], { breakGlass: "a test" });
  const asked = await elif.ask("funding.credit", { ...CREDIT, reference: "FT-ended-key" });
  assert(asked.ok && "waiting" in asked.value);
  const input = { operator: "elif", key_id: elif.key.keyId };
  const end = { name: "operator.key.end", arguments: input, breakGlass: "a test" };
  assert((await performAct(admin, end)).ok);
  const decided = await approve(asked.value.waiting);
  assert(decided.ok && "done" in decided.value);
  assertEquals((decided.value.done as { state: string }).state, "void");
});

test("an approval that its requester has not used in time opens nothing", async () => {
  await setRule("client-secret.rotate");
  const rotate = async () => {
    const input = { partner: "bank-one", overlap_ms: 0 };
    const outcome = await amal.ask("client-secret.rotate", input);
    assert(outcome.ok);
    return "waiting" in outcome.value ? outcome.value.waiting : "done";
  };
  const late = await rotate();
  assert((await approve(late)).ok);
  const expire = `update approvals set expires_at = now() where request_id = '${late}'`;
  await byForce(admin.database, expire);
  const next = await rotate();
  assert(next !== "done");
  assert((await approve(next)).ok);
  assertEquals(await rotate(), "done");
});

test("a day begins at midnight in Riyadh", async () => {
  await setRule("funding.credit", "amount_sar above 500 a day by person");
  assertEquals(await credit(amal, "500"), "done");
  await signedOn(admin, "2026-03-01T20:59:59Z");
  const signed = await amal.sign("funding.credit", { partner: "bank-one", amount_sar: "1" });
  assert("signed" in signed);
  const [row] = await admin.database.sql<{ id: number }[]>`
    select operator_id as id from operators where name = 'amal'`;
  const isAsked = (moment: string) =>
    admin.database.sql.begin(async (sql) => {
      const signedAtMs = Date.parse(moment);
      const warrant = { signed: { ...signed.signed, signedAtMs }, operatorId: row!.id, keyId: "" };
      return await findRule(sql, warrant) !== undefined;
    });
  assertEquals(await isAsked("2026-02-28T21:00:00Z"), true);
  assertEquals(await isAsked("2026-02-28T20:59:59Z"), false);
  assertEquals(await isAsked("2026-03-01T20:59:59Z"), true);
  assertEquals(await isAsked("2026-03-01T21:00:00Z"), false);
});

test("of 50 credits at once exactly those within the bound are done", async () => {
  await setRule("funding.credit", "amount_sar above 1000 a day");
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, n) => credit(n % 2 ? amal : badr, "100", "bank-two")),
  );
  assertEquals(outcomes.filter((outcome) => outcome === "done").length, 10);
  assertEquals(outcomes.filter((outcome) => outcome === "waits").length, 40);
});

test("payouts, allocations and spreads have sums too", async () => {
  await setRule("withdrawal.completed", "amount_sar above 200 a day");
  const pay = (withdrawal: string, input: ActArguments = { amount_sar: "100.00" }) =>
    ask(amal, "withdrawal.completed", { withdrawal, ...input });
  assertEquals(await pay(withdrawals[0]!), "done");
  // An amount that nobody names may be any, and one that is not the withdrawal's is refused.
  assertEquals(await pay(withdrawals[1]!, {}), "waits");
  assertEquals(await pay(withdrawals[1]!, { amount_sar: "99.99" }), "invalid_amount");
  assertEquals(await pay(withdrawals[1]!, { partner: "bank-two" }), "invalid_amount");
  assertEquals(await pay(withdrawals[1]!), "done");
  assertEquals(await pay(withdrawals[2]!), "waits");
  await setRule("withdrawal.completed", "amount_sar above 200 a day by partner");
  assertEquals(await pay(withdrawals[2]!), "waits");

  await setRule("vault.allocate", "grams above 100 a day by partner");
  const allocate = (person: TestPerson, grams: string) =>
    ask(person, "vault.allocate", { partner: "bank-one", grams });
  assertEquals(await allocate(amal, "60"), "done");
  assertEquals(await allocate(badr, "40"), "done");
  assertEquals(await allocate(badr, "0.0001"), "waits");

  await setRule("partner.update", "spread_percent moved above 0.5 a day by partner");
  const update = (input: ActArguments) =>
    ask(amal, "partner.update", { partner: "bank-one", ...input });
  // From 0.5 per cent.
  assertEquals(await update({ spread_percent: "1.0001" }), "waits");
  assertEquals(await update({ spread_percent: "0.6" }), "done");
  assertEquals(await update({ spread_percent: "0.4" }), "done");
  // Back and forth counts both ways.
  assertEquals(await update({ spread_percent: "0.6001" }), "waits");
  assertEquals(await update({ fee_percent: "0.3" }), "done");
  assertEquals(await update({ spread_percent: "0.6" }), "done");
  assertEquals(await update({ spread_percent: "0.5999" }), "waits");
});

test("a new bar can have a rule, and a condition that nobody can read asks for two", async () => {
  await setRule("vault.bar.add", "weight_grams above 1000 a day");
  const add = (serial: string, weight_grams: string) =>
    ask(amal, "vault.bar.add", { serial, refiner: "R", fineness: "999.9", weight_grams });
  assertEquals(await add("B-2", "1000"), "done");
  assertEquals(await add("B-3", "1"), "waits");
  await setRule("vault.bar.add", "weight_grams beyond 1");
  assertEquals(await add("B-4", "1"), "waits");
});

test("no act leaves fewer administrators than the policy says, not even two at once", async () => {
  const carim = await addPerson(admin, "carim", ["administrator"], { breakGlass: "a test" });
  const disable = (person: TestPerson, operator: string) =>
    ask(person, "operator.disable", { operator });
  const outcomes = await Promise.all([
    disable(amal, "badr"),
    disable(badr, "carim"),
    disable(carim, "amal"),
  ]);
  assertEquals(outcomes.toSorted(), ["done", "not_permitted", "not_permitted"]);
  const [left, other] = [[badr, carim], [carim, amal], [amal, badr]].filter((_, n) =>
    outcomes[(n + 2) % 3] === "done"
  )[0]!;
  assertEquals(await disable(left!, left!.name), "not_permitted");
  const { name: operator, key: { keyId: key_id } } = left!;
  assertEquals(await ask(other!, "operator.key.end", { operator, key_id }), "not_permitted");
  // Asked for and refused at once, before anybody would approve it.
  const role = { operator, role: "administrator" };
  assertEquals(await ask(other!, "operator.role.remove", role), "not_permitted");
  assertEquals(await ask(other!, "policy.administrators", { least: 3 }), "not_permitted");
  assertEquals(await ask(other!, "policy.administrators", { least: 1 }), "invalid_setting");
  assertEquals(await ask(other!, "policy.administrators", { least: 2 }), "waits");
  // Another role, and whoever breaks the glass, are not held back.
  const { name: keeper } = left === carim ? other! : left!;
  const vault = { operator: keeper, role: "vault" };
  assertEquals(await ask(other!, "operator.role.remove", vault), "waits");
  const broken = { name: "operator.disable", arguments: { operator }, breakGlass: "a stolen key" };
  assert((await performAct(admin, broken)).ok);
});
