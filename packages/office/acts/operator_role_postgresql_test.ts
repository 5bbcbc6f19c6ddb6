import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { type ActArguments, makePersonsKey } from "@sabika/identity/signatures";
import { verifyAudit, withAuditRecord, writeAudit } from "@sabika/service/audit";
import { addBar } from "@sabika/service/vault";
import { type ActName, mayDo, RIGHTS, type Role, ROLES } from "@sabika/terms";
import { openTestBank } from "../../../test/support/test_admin.ts";
import { FORBIDDEN } from "../../../test/support/forbidden_statements.ts";
import { addPerson } from "../../../test/support/test_people.ts";
import { performAct } from "./perform.ts";

// Decision D89: what a stolen role of the operator cannot do, before there are people and with them.

const { admin } = await openTestBank();
const stolen = openDatabase(admin.testDatabase.urlAs("sabika_operator"), { maxConnections: 2 });
const server = admin.testDatabase.app;
const operator = { ...admin, database: stolen };
after(async () => {
  await stolen.close();
  await admin.close();
});
const bar = { serial: "B-1", refiner: "R", finenessTenThousandths: 9_999 };
assert((await addBar(admin, { ...bar, weightMicrograms: 1_000_000_000n })).ok);
for (const name of ["idle", "mallory"]) {
  assert((await performAct(operator, { name: "operator.add", arguments: { operator: name } })).ok);
}

const ANOTHERS = "(select signature from acts where name = 'partner.suspend')";

/** Returns those of the statements that were carried out, each text in a transaction of its own. */
async function carriedOut(statements: readonly string[], { sql } = stolen): Promise<string[]> {
  const done: string[] = [];
  for (const statement of statements) {
    await sql.unsafe(statement).simple().then(
      () => done.push(statement),
      // Refused: no privilege, a constraint, no result, or an error that a function or a trigger raises.
      ({ code, message }: { code?: string; message: string }) =>
        assert(
          /^(?:42501|23|25001|22012|P000[12]$)/.test(code ?? ""),
          `${code} ${message}: ${statement}`,
        ),
    );
  }
  return done;
}

test("no statement of the operator's or a server's role changes a fact without an act, before there are people", async () => {
  assert(new Set(FORBIDDEN).size >= 110);
  // A server disables an endpoint by itself.
  const alone = "update webhook_lanes set disabled_at = now()";
  assertEquals(await carriedOut([...FORBIDDEN, alone]), []);
  assertEquals(await carriedOut(FORBIDDEN, server), []);
  const pause = { name: "price.pause", arguments: {} };
  assertEquals((await performAct(operator, pause)).ok, true);
});

test("nor with people: not with an act that nobody signed, another's, or one that waits", async () => {
  const amal = await addPerson(operator, "amal", ["administrator", "partners", "treasury"]);
  const badr = await addPerson(operator, "badr", ["administrator", "partners", "treasury"]);
  assertEquals(await carriedOut(FORBIDDEN), []);
  assertEquals(await carriedOut(FORBIDDEN, server), []);
  const suspend = await amal.sign("partner.suspend", { partner: "bank-one" });
  assert((await performAct(operator, suspend)).ok);
  const waiting = await performAct(
    operator,
    await amal.sign("iban.set", { partner: "bank-one", iban: "SA4420000001234567891234" }),
  );
  assert(waiting.ok && "waiting" in waiting.value);
  const request = waiting.value.waiting;

  const entry = (act: string, action: string) =>
    `insert into audit_log (actor, action, partner_id, detail) values ('amal', '${action}', 1,
      json_build_object('act', '${act}', 'signature', 'x')::text);`;
  const change = "update partners set settlement_iban = 'SA0000000000000000000000';";
  const forged = crypto.randomUUID();
  const [mine] = await stolen.sql<{ keyId: string; personId: number }[]>`
    select key_id as "keyId", operator_id as "personId" from acts
    where name = 'partner.suspend'`;
  const forge = (signature: string) =>
    `insert into acts values ('${forged}', 'iban.set', '{}', date_trunc('seconds', now()),
      ${mine!.personId}, '${mine!.keyId}', ${signature});`;
  const suspended = suspend as { signed: { id: string } };
  const asked = await amal.sign("iban.set", { partner: "bank-one", iban: "SA0" });
  if (!("signed" in asked)) throw new Error("unsigned");
  const alone = asked.signed;
  const decide = (name: string) =>
    `update approvals set state = 'done', decision_id = '${suspended.signed.id}', decided_at = now(),
      decider_id = (select operator_id from operators where name = '${name}') where request_id = '${request}';`;
  assertEquals(
    await carriedOut([
      // An entry without a person, or a signature that is another act's or none at all.
      `insert into audit_log (actor, action, partner_id) values ('mallory', 'iban.set', 1); ${change}`,
      ...[ANOTHERS, "'x'", "'a..b'", "'webauthn.a.b.c.d'", "'e30..AAAA'", "''", "'....'", "'é..é'"]
        .map((
          signature,
        ) => `${forge(signature)} ${entry(forged, "iban.set")} ${change}`),
      // Real acts: one of another name, one that was done, one that waits for a second person.
      `${entry(suspended.signed.id, "iban.set")} ${change}`,
      `${entry(suspended.signed.id, "partner.suspend")} update partners set status = 'active'`,
      `${entry(request, "iban.set")} ${change}`,
      `${entry(request, "iban.set")} ${decide("amal")} ${change}`,
      `${entry(request, "iban.set")} ${decide("badr")} ${change}`,
    ]),
    [],
  );
  // A signed act for which nobody asked a second person, although a rule does.
  const perform = (first?: string) =>
    stolen.sql.begin(async (tx) => {
      const { id, argumentsText, signature } = alone;
      const signedAt = new Date(alone.signedAtMs).toISOString();
      await tx`insert into acts values (${id}::uuid, 'iban.set', ${argumentsText},
        ${signedAt}::timestamptz, ${mine!.personId}::integer, ${mine!.keyId}, ${signature})`;
      if (first !== undefined) await tx.unsafe(entry(id, "approval.request") + first).simple();
      await tx.unsafe(entry(id, "iban.set")).simple();
      await tx.unsafe(change).simple();
    });
  await assertRejects(() => perform(), Error, "a rule asks for a second person");
  // Nor with a request that begins as done, by another act of the second person.
  const pause = await badr.sign("price.pause");
  assert((await performAct(operator, pause)).ok);
  const done = `insert into approvals select '${alone.id}', ${
    mine!.personId
  }, 'x', now(), now(), '[]',
    'done', act_id, operator_id, now() from acts where act_id = '${
    (pause as typeof suspended).signed.id
  }';`;
  await assertRejects(() => perform(done), Error, "append only");
  const { publicPem } = await makePersonsKey();
  assert((await badr.ask("operator.key.add", { operator: "idle", key: publicPem })).ok);
  const ibans = await admin.database.sql`
    select from partners where settlement_iban ~ '^SA(00|44)' or status = 'active'`;
  assertEquals(ibans.length, 0);
  assertEquals((await withAuditRecord(admin.database.sql, verifyAudit)).findings, []);
});

test("the database takes the entry of a signed act only from a person whose role opens it", async () => {
  const sql = await readFile(
    new URL("../../service/audit/demand_person.sql", import.meta.url),
    "utf8",
  );
  const actsOf: Record<string, string[]> = JSON.parse(sql.match(/jsonb := '([^']+)'/)![1]!);
  const names = (Object.keys(RIGHTS) as ActName[]).filter((name) => !name.endsWith(".read"));
  const everybody = names.filter((name) => RIGHTS[name].length === ROLES.length).sort();
  const opened = (role: Role) => names.filter((name) => mayDo([role], name)).sort();
  for (const role of ROLES) {
    assertEquals([...(actsOf[role] ?? []), ...everybody].sort(), opened(role), role);
  }
  assertEquals(actsOf["everybody"], everybody);

  const person = await addPerson(admin, "pricer", ["prices"], { breakGlass: "a test" });
  const [row] = await admin.database.sql`select operator_id from operators where name = 'pricer'`;
  const write = async (name: ActName, input: ActArguments) => {
    const asked = await person.sign(name, input);
    if (!("signed" in asked)) throw new Error("unsigned");
    const actor = { ...admin.actor, who: "pricer" };
    const warrant = {
      signed: asked.signed,
      operatorId: row!["operator_id"],
      keyId: person.key.keyId,
    };
    await stolen.sql.begin((tx) => writeAudit(tx, { ...admin, actor, warrant }, name, null, {}));
  };
  await write("price.pause", {});
  const credit = { partner: "bank-one", amount_sar: "1.00", reference: "R-1" };
  await assertRejects(() => write("funding.credit", credit), Error, "no role of the person");
  await assertRejects(
    () => write("operator.role.remove", { operator: "pricer", role: "prices" }),
    Error,
    "no role of the person",
  );
});
