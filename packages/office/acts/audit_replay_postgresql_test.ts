import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ActArguments } from "@sabika/identity/signatures";
import { FACT_TABLES, verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { listCounts } from "@sabika/service/vault";
import { ROLES } from "@sabika/terms";
import { adoptRows } from "../../../test/support/adopt_rows.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { anAdmission, openTestAdmin } from "../../../test/support/test_admin.ts";
import { inspectCount } from "../../../test/support/test_outsider.ts";
import { attestFirstReserve } from "../../../test/support/test_attestation.ts";
import { addPerson } from "../../../test/support/test_people.ts";
import { admitPartner } from "../partners/admit_partner.ts";
import { performAct } from "./perform.ts";

// Decision D92: the register is what the entries of the audit log left.

const admin = await openTestAdmin();
const act = async (name: string, input: ActArguments) => {
  const done = await performAct(admin, { name, arguments: input });
  assert(done.ok, `${name}: ${done.ok || done.detail}`);
};
await admin.database.sql`insert into cells (cell_id) values ('second')`;
await adoptRows(admin.database);
assert((await admitPartner(admin, anAdmission("bank-one"))).ok);
const partner = "bank-one";
await act("address.add", { partner, cidr: "192.0.2.0/24" });
await act("client-secret.rotate", { partner, overlap_ms: 60_000 });
await act("webhook-secret.rotate", { partner, overlap_ms: 0 });
await act("partner.update", { partner, spread_percent: "0.4" });
const mail = "huda@bank.example";
await act("partner.contact.set", { partner, name: "Huda", role: "Treasury", mail });
const document = { kind: "licence", issued_on: "2026-01-01", document_sha256: "ab".repeat(32) };
await act("partner.document.set", { partner, reference: "L-1", ...document });
await act("refiner.add", {
  list: "own",
  refiner: "R",
  from_day: "2026-01-01",
  document_sha256: "ab".repeat(32),
});
await act("vault.bar.add", {
  serial: "B-1",
  refiner: "R",
  fineness: "999.9",
  weight_grams: "1000",
});
await act("vault.count", { bars: [] });
const [count] = await listCounts(admin.database.sql, { limit: 1 });
await act("vault.count.accept", { count: count!.countId, reason: "at the assayer" });
await act("vault.count", { bars: ["B-1"] });
await act("price.set", { source: "fixed", mid_price_sar: "485.25" });
await act("reserve.bank.set", { day: "2026-01-01", amount_sar: "5" });
await act("refiner.unlisted", { unlisted: "refuse" });
await inspectCount(admin, (await listCounts(admin.database.sql, { limit: 1 }))[0]!.countId);
await attestFirstReserve(admin);
await act("token-key.rotate", {});
await act("receipt-key.rotate", {});
await act("operator.add", { operator: "guest", roles: ["vault"] });
const identity = { issuer: "https://login.bank.example", subject: "guest-1" };
await act("operator.identity.add", { operator: "guest", ...identity });
await act("policy.set", { act: "vault.allocate", conditions: [], approvers: ["vault"] });
await act("policy.time", { seconds: 3_600 });
const amal = await addPerson(admin, "amal", ROLES);
await addPerson(admin, "badr", ROLES);
assert((await amal.ask("partner.suspend", { partner })).ok);
assert((await amal.ask("address.remove", { partner, cidr: "192.0.2.0/24" })).ok);
assert((await amal.ask("address.add", { partner, cidr: "198.51.100.0/24" })).ok);
after(() => admin.close());

const verify = async () => (await withAuditRecord(admin.database.sql, verifyAudit)).findings;

/** What an owner changes, by table. */
const CHANGES: Readonly<Record<string, string>> = {
  approval_rules: `approvers = '["support"]' where act = 'withdrawal.completed'`,
  attestation_keys: "holder = 'mallory'",
  authorities: "certificate_pem = 'another'",
  cells: "state = 'draining' where cell_id = 'second'",
  certificates: "scope = 'read', revoked_at = null",
  client_secrets: "secret_hash = sha256('x')",
  office: "least_administrators = 9",
  operator_identities: "subject = 'mallory'",
  operator_keys: "valid_until = now()",
  operator_roles: "role = 'support' where operator_id = (select min(operator_id) from operators)",
  operators: "enabled = not enabled",
  partner_contacts: "telephone = '+966511111111'",
  partner_documents: "valid_until = '2099-12-31'",
  partners: "settlement_iban = 'SA4420000001234567891234'",
  pool_versions: "hash = repeat('0', 64)",
  pools: "version_id = 9",
  price_settings: `configuration = '{"mid":"1"}'`,
  receipt_keys: "valid_until = valid_until + interval '1 day'",
  refiners: "until_day = '2030-01-01'",
  reserve_attestations: "jws = 'another'",
  reserve_banks: "amount_halalas = 1",
  signing_keys: "public_jwk = '{}'",
  source_addresses: "cidr = '0.0.0.0/0'",
  token_keys: "public_jwk = '{}'",
  vault_bars: "weight_micrograms = weight_micrograms + 1",
  vault_count_acceptances: "reason = 'mallory'",
  vault_count_lines: "weighed_micrograms = 1 where is_seen",
  vault_count_signatures: "jws = 'another'",
  vault_counts: "counted_by = 'mallory'",
  webhook_secrets: "sealed_secret = 'x'",
};

test("after acts of every kind the register is what the log left, of these tables and no others", async () => {
  assertEquals(await verify(), []);
  assertEquals(Object.keys(FACT_TABLES), Object.keys(CHANGES));
  const rows = await admin.database.sql<{ fact: string; columns: string }[]>`
    select fact, array_to_string(key_columns, ',') as columns from fact_tables() order by fact`;
  assertEquals(
    rows.map(({ fact, columns }) => [fact, columns]),
    Object.entries(FACT_TABLES).map(([fact, columns]) => [fact, columns.join(",")]),
  );
});

for (const [table, change] of Object.entries(CHANGES)) {
  test(`what an owner with triggers off changes or deletes in ${table} is named`, async () => {
    const { database } = admin;
    const found = async (...statements: string[]) => {
      await byForce(database, ...statements);
      const findings = (await verify()).filter(({ finding }) => finding === "differs");
      assert(
        findings.every(({ message }) => message.startsWith(`${table} `)),
        findings[0]?.message,
      );
      return findings.length;
    };
    const empty = `delete from ${table}`;
    const [written] = await database.sql<{ columns: string }[]>`
      select string_agg(column_name, ',') as columns from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`;
    const { columns } = written!;
    const restore =
      `insert into ${table} (${columns}) overriding system value select ${columns} from kept`;
    assert(await found(`create table kept as table ${table}`, `update ${table} set ${change}`) > 0);
    const [row] = await database.sql.unsafe(`select count(*)::integer as n from kept`);
    assertEquals(await found(empty), row!["n"]);
    assertEquals(await found(restore), 0);
    await byForce(database, "drop table kept");
  });
}

test("a row that no entry has, or that an entry removed, is named, and so is an entry's changed list", async () => {
  const { database } = admin;
  const added = "insert into source_addresses values (1, '192.0.2.0/24'), (1, '203.0.113.0/24')";
  await byForce(database, added);
  assertEquals((await verify()).map(({ message }) => message.replace(/\d+ removed/, "N removed")), [
    "source_addresses 1/192.0.2.0/24: entry N removed it, and it is there",
    "source_addresses 1/203.0.113.0/24: no entry has it",
  ]);
  await byForce(database, "delete from source_addresses where cidr not like '198%'");
  // With triggers on, too: no entry takes what was changed by hand.
  await database.sql`update partners set name = 'Another'`;
  assert(
    (await performAct(admin, {
      name: "price.pause",
      arguments: {},
      breakGlass: "a test",
    })).ok,
  );
  const [{ auditId, message } = { auditId: null, message: "" }] = await verify();
  assertEquals(message, `partners 1: name is Another, and entry ${auditId} left Bank bank-one`);
  await byForce(
    database,
    `update audit_facts set facts = replace(facts, '"Bank bank-one"', '"Another"')`,
  );
  const findings = await verify();
  assert(findings.some(({ finding }) => finding === "changed"), JSON.stringify(findings.length));
});
