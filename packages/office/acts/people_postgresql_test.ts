import { createPublicKey } from "node:crypto";
import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { makePersonsKey, readPersonsKey } from "@sabika/identity/signatures";
import {
  listAudit,
  listOperators,
  readAuditHead,
  readAuditRecord,
  readPeopleSince,
  verifyAudit,
  withAuditRecord,
  writeAuditRecord,
} from "@sabika/service/audit";
import { type ActName, mayDo, RIGHTS, ROLES } from "@sabika/terms";
import { codeOf } from "../../../test/support/acts.ts";
import { adoptRows } from "../../../test/support/adopt_rows.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin, openTestBank, type TestAdmin } from "../../../test/support/test_admin.ts";
import { addPerson, type TestPerson } from "../../../test/support/test_people.ts";
import { until } from "../../../test/support/until.ts";
import { authorise } from "../people/authorise.ts";
import { performAct } from "./perform.ts";

let badr: TestPerson;
const { admin } = await openTestBank();
const amal = await addPerson(admin, "amal", ["administrator"]);
after(() => admin.close());

const unsigned = (name: string) => performAct(admin, { name, arguments: {} });

test("from the second administrator's key on, acts need a person for good", async () => {
  const { sql } = admin.database;
  assertEquals(codeOf(await unsigned("price.pause")), "done");
  assertEquals(await readPeopleSince(sql), null);
  badr = await addPerson(admin, "badr", ["administrator", "prices", "partners"]);
  assert(await readPeopleSince(sql) !== null);
  assertEquals(codeOf(await unsigned("price.resume")), "person_required");
  assertEquals(codeOf(await badr.ask("price.resume")), "done");
  await assertRejects(() => sql`update office set people_since = null`, Error, "append only");
  await assertRejects(() => sql`delete from operators`, Error, "append only");
});

test("acts need a person, too, when two administrators get their keys at the same moment", async (t) => {
  const other = await openTestAdmin();
  t.after(() => other.close());
  const { sql } = other.database;
  const give = async (operator: string, within = other) => {
    const { publicPem: key } = await makePersonsKey();
    const input = { operator, key };
    return await performAct(within, { name: "operator.key.add", arguments: input });
  };
  for (const operator of ["amal", "badr"]) {
    const input = { operator, roles: ["administrator"] };
    assertEquals(
      codeOf(await performAct(other, { name: "operator.add", arguments: input })),
      "done",
    );
  }
  let badrsOutcome: ReturnType<typeof give> | undefined;
  await sql.begin(async (transaction) => {
    assertEquals(codeOf(await give("amal", { ...other, transaction } as TestAdmin)), "done");
    badrsOutcome = give("badr");
    await until(async () => (await sql`select 1 from pg_locks where not granted`).length > 0);
  });
  assertEquals(codeOf(await badrsOutcome!), "done");
  assert(await readPeopleSince(sql) !== null);
});

test("every act is open to the roles of the table, and to no other", async () => {
  const people = await Promise.all(ROLES.map(async (role) => ({
    role,
    person: await addPerson(admin, `only-${role}`, [role], { breakGlass: "a test of rights" }),
  })));
  const wrong: string[] = [];
  for (const name of Object.keys(RIGHTS) as ActName[]) {
    for (const { role, person } of people) {
      const outcome = codeOf(await authorise(admin, await person.sign(name)));
      const expected = mayDo([role], name) ? "done" : "not_permitted";
      if (outcome !== expected) wrong.push(`${role} ${name}: ${outcome}`);
    }
    assert(RIGHTS[name].length > 0, `${name} is nobody's`);
  }
  assertEquals(wrong, []);
});

test("an act is refused unless an enabled person has just signed it for this database with a valid key", async () => {
  const good = await badr.sign("iban.set", { partner: "bank-one", iban: "x" });
  if (!("signed" in good)) throw new Error("unsigned");
  const { signed } = good;
  const asked = (changes: Partial<typeof signed>) =>
    authorise(admin, { signed: { ...signed, ...changes } }).then(codeOf);
  assertEquals(await asked({}), "done");
  assertEquals(
    await asked({ argumentsText: '{"iban":"y","partner":"bank-one"}' }),
    "signature_invalid",
  );
  assertEquals(await asked({ name: "webhook.set" }), "signature_invalid");
  assertEquals(await asked({ id: crypto.randomUUID() }), "signature_invalid");
  assertEquals(await asked({ signedAtMs: signed.signedAtMs + 1000 }), "signature_invalid");
  assertEquals(await asked({ signature: "a..b" }), "signature_invalid");
  const other = authorise({ ...admin, environment: "production" }, good);
  assertEquals(codeOf(await other), "signature_invalid");
  const laterAdmin = { ...admin, now: () => admin.now() + 302_000 };
  assertEquals(codeOf(await authorise(laterAdmin, good)), "signature_invalid");
  assertEquals(codeOf(await badr.ask("no.such.act")), "not_found");
  assertEquals(codeOf(await badr.ask("iban.set", { partner: "bank-one" })), "invalid_setting");
  assertEquals(codeOf(await badr.ask("price.pause", { more: 1 })), "invalid_setting");

  const guest = await addPerson(admin, "guest", ["prices"], { breakGlass: "a test" });
  assertEquals(codeOf(await guest.ask("price.pause")), "done");
  assertEquals(codeOf(await amal.ask("operator.disable", { operator: "guest" })), "done");
  assertEquals(codeOf(await guest.ask("price.pause")), "not_permitted");
  const key_id = badr.key.keyId;
  const key = (await addPerson(admin, "other", ["prices"], { breakGlass: "a test" })).key.keyId;
  assertEquals(
    codeOf(await amal.ask("operator.key.end", { operator: "other", key_id: key })),
    "done",
  );
  assertEquals(
    codeOf(await amal.ask("operator.key.end", { operator: "other", key_id })),
    "not_found",
  );
});

test("a signed act is done once, even if it is sent several times or at once", async () => {
  const asked = await badr.sign("address.add", { partner: "bank-one", cidr: "192.0.2.0/24" });
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => performAct(admin, asked)));
  assertEquals(outcomes.filter(({ ok }) => ok).length, 1);
  assert(await badr.ask("address.remove", { partner: "bank-one", cidr: "192.0.2.0/24" }));
  assertEquals(codeOf(await performAct(admin, asked)), "already_exists");
  const [entry] = await listAudit(admin.database.sql, { limit: 1, clientId: "bank-one" });
  assertEquals([entry?.who, entry?.action], ["badr", "address.remove"]);
  // An act on the partner's rows, which is recorded before its audit entry.
  const ping = await badr.sign("webhook.ping", { partner: "bank-one" });
  const codes = [await performAct(admin, ping), await performAct(admin, ping)].map(codeOf);
  assertEquals(codes, ["done", "already_exists"]);
});

test("a person rotates their own key, after which the old key signs nothing", async () => {
  // So that this act needs no second person.
  await admin.database.sql`delete from approval_rules where act = 'operator.key.rotate'`;
  await adoptRows(admin.database);
  const { privatePem, publicPem } = await makePersonsKey();
  const person = await addPerson(admin, "rotating", ["prices"], { breakGlass: "a test" });
  const rotate = async (key: string) => codeOf(await person.ask("operator.key.rotate", { key }));
  const old = String(createPublicKey(person.privatePem).export({ type: "spki", format: "pem" }));
  assertEquals([await rotate("no key"), await rotate(old)], ["invalid_signing_key", "key_in_use"]);
  assertEquals(await rotate(publicPem), "done");
  const { keyId } = (await readPersonsKey(privatePem))!;
  const [entry] = await listAudit(admin.database.sql, { limit: 1 });
  assertEquals(
    [entry?.action, entry?.detail["operator"], entry?.detail["keyId"]],
    ["operator.key.rotate", "rotating", keyId],
  );
  assertEquals(codeOf(await person.ask("price.pause")), "not_permitted");
  const [operator] = await listOperators(admin.database.sql, "rotating");
  const valid = operator!.keys.filter(({ validUntilMs }) => validUntilMs === null);
  assertEquals(valid.map(({ keyId }) => keyId), [keyId]);
  // A key that was somebody's is never registered again.
  const repeated = { operator: "amal", key: publicPem };
  const asked = performAct(admin, {
    name: "operator.key.add",
    arguments: repeated,
    breakGlass: "why",
  });
  assertEquals(codeOf(await asked), "key_in_use");
});

test("the database refuses a signature by a key that is not the person's now", async () => {
  const { sql } = admin.database;
  const insert = (operator: string, key: string, signedAt = "now()") =>
    sql.unsafe(
      `insert into acts (act_id, name, arguments, signed_at, operator_id, key_id, signature)
      select gen_random_uuid(), 'price.pause', '{}', ${signedAt}, operator_id, '${key}', 'x'
      from operators where name = '${operator}'`,
    );
  await assertRejects(() => insert("amal", badr.key.keyId), Error, "not an enabled person's");
  const ended = (await listOperators(sql, "other"))[0]!.keys[0]!.keyId;
  await assertRejects(() => insert("other", ended), Error, "not an enabled person's");
  const stale = "now() - interval '10 minutes'";
  await assertRejects(
    () => insert("amal", amal.key.keyId, stale),
    Error,
    "not an enabled person's",
  );
  await assertRejects(() => sql`update operator_keys set valid_until = null`, Error, "append only");
  for (const table of ["acts", "operator_keys", "operators", "office"]) {
    await assertRejects(() => sql.unsafe(`delete from ${table}`), Error, "append only");
  }
});

test("only the owner and the role for it break the glass, and each use is counted", async () => {
  const { testDatabase, database: { sql } } = admin;
  const before = (await readAuditHead(sql)).breakGlasses;
  const asked = { name: "price.pause", arguments: {}, breakGlass: "the feed is wrong" };
  const operators = openDatabase(testDatabase.urlAs("sabika_operator"), { maxConnections: 1 });
  const refused = await performAct({ ...admin, database: operators }, asked);
  assertEquals(codeOf(refused), "not_permitted");
  // The database refuses an unsigned entry that is written by hand, too.
  const byHand = operators.sql`insert into audit_log (actor, action) values ('x', 'price.set')`;
  await assertRejects(() => byHand, Error, "needs a person");
  await operators.close();
  assertEquals(codeOf(await performAct(admin, { ...asked, breakGlass: " " })), "invalid_setting");
  assertEquals((await readAuditHead(sql)).breakGlasses, before);
  const emergency = openDatabase(testDatabase.urlAs("sabika_break_glass"), { maxConnections: 1 });
  try {
    assertEquals(codeOf(await performAct({ ...admin, database: emergency }, asked)), "done");
    const silently =
      "insert into audit_log (actor, action, detail) values ('x', 'price.set', '{}')";
    await assertRejects(() => emergency.sql.unsafe(silently), Error, "says why");
    const statements = [
      "alter table audit_log disable trigger audit_log_person",
      "update audit_log set actor = 'nobody'",
      "update accounts set cash_halalas = cash_halalas + 1",
      "set role sabika_owner",
    ];
    for (const statement of statements) {
      await assertRejects(() => emergency.sql.unsafe(statement), Error);
    }
  } finally {
    await emergency.close();
  }
  assertEquals(codeOf(await performAct(admin, { ...asked, name: "price.resume" })), "done");
  assertEquals((await readAuditHead(sql)).breakGlasses, before + 2);
  const [entry] = await listAudit(sql, { limit: 1 });
  assertEquals([entry?.who, entry?.detail], ["tester", { break_glass: "the feed is wrong" }]);
});

test("a server goes on suspending partners whose balances are wrong, without a person", async () => {
  const { database, testDatabase: { app } } = admin;
  const bank = "(select partner_id from partners where client_id = 'bank-one')";
  const shift = (by: number) =>
    byForce(
      database,
      `update accounts set cash_halalas = cash_halalas + ${by},
        house_cash_halalas = house_cash_halalas - ${by} where partner_id = ${bank}`,
    );
  await shift(1);
  const [row] = await app.sql.unsafe(`select suspend_for_balances(${bank}, '{"from":"server"}')`);
  await shift(-1);
  assertEquals(row?.["suspend_for_balances"], true);
  assertEquals(codeOf(await badr.ask("partner.resume", { partner: "bank-one" })), "done");
});

test("audit verify checks who signed each act, from the database and from an export", async () => {
  const { database } = admin;
  const verify = () => withAuditRecord(database.sql, verifyAudit);
  const { findings, signed, breakGlasses } = await verify();
  assertEquals(findings, []);
  assert(signed >= 6 && breakGlasses >= 3, `${signed} signed`);
  const lines: string[] = [];
  await withAuditRecord(database.sql, async (record) => {
    for await (const line of writeAuditRecord(record)) lines.push(line);
  });
  const offline = (text: string) => verifyAudit(readAuditRecord(text));
  assertEquals((await offline(lines.join("\n"))).findings, []);

  // One change in the arguments, the name, the signature or the key is found, also in the database.
  const index = lines.findIndex((line) => line.includes('"address.add"'));
  const changes = [
    [/192\.0\.2\.0\/24/, "192.0.2.1/24"],
    [/("act":\{"id":"[^"]+","name":")address.add/, "$1address.remove"],
    [/"signature":"ey/, '"signature":"ez'],
  ] as const;
  for (const [pattern, replacement] of changes) {
    const changed = lines.with(index, lines[index]!.replace(pattern, replacement));
    assert(changed[index] !== lines[index], String(pattern));
    const found = (await offline(changed.join("\n"))).findings;
    assert(found.some(({ auditId }) => auditId === BigInt(index)), String(pattern));
  }
  const [head] = lines;
  const swapped = head!.replaceAll(badr.key.keyId, amal.key.keyId);
  const forged = (await offline(lines.with(0, swapped).join("\n"))).findings;
  assert(forged.every(({ finding }) => finding === "forged") && forged.length > 0);

  await byForce(database, "update acts set arguments = '{}' where name = 'address.add'");
  assertEquals((await verify()).findings.map(({ finding }) => finding), ["forged"]);
});
