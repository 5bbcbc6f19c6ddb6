import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";

const { database, close } = await openTestDatabase();
after(close);

test("the append-only tables refuse UPDATE, DELETE and TRUNCATE (F28)", async () => {
  const columns = {
    transfers: "amount",
    quotes: "total_halalas",
    orders: "total_halalas",
    fundings: "amount_halalas",
    events: "object",
    webhook_attempts: "failure",
    audit_log: "actor",
    audit_facts: "facts",
    pool_versions: "kind",
    receipts: "jws",
    reserves: "body",
    reserve_attestations: "jws",
    reserve_banks: "amount_halalas",
    reserve_openings: "salt",
    reserve_signatures: "jws",
    receipt_keys: "public_jwk",
    attestation_keys: "holder",
    refiners: "document_sha256",
    pool_version_bars: "place",
    vault_counts: "place",
    vault_count_acceptances: "reason",
    vault_count_lines: "is_seen",
    vault_count_signatures: "jws",
  };
  for (const [table, column] of Object.entries(columns)) {
    const statements = [
      `update ${table} set ${column} = ${column}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ];
    for (const statement of statements) {
      await assertRejects(() => database.sql.unsafe(statement), Error, "append only");
    }
  }
  await assertRejects(() => database.sql`delete from audit_head`, Error, "append only");
});

test("a withdrawal's status changes, but not its terms or its final status (F28)", async () => {
  const { sql } = database;
  await sql`
    insert into withdrawals (partner_id, withdrawal_id, amount_halalas, created_at, status, iban)
    values (1, gen_random_uuid(), 100, now(), 'pending', 'SA0380000000608010167519')`;
  const columns = ["partner_id", "withdrawal_id", "amount_halalas", "created_at", "iban"];
  for (const column of columns) {
    const statement = `update withdrawals set ${column} = ${column}`;
    await assertRejects(() => sql.unsafe(statement), Error, "append only");
  }
  await assertRejects(() => sql`delete from withdrawals`, Error, "append only");
  await assertRejects(() => sql`truncate withdrawals`, Error, "append only");
  await sql`update withdrawals set status = 'processing'`;
  await sql`update withdrawals set status = 'completed', completed_at = now()`;
  for (const status of ["pending", "failed", "completed"]) {
    await assertRejects(
      () => sql`update withdrawals set status = ${status}`,
      Error,
      "append only",
    );
  }
  const [row] = await sql<{ status: string }[]>`select status from withdrawals`;
  assertEquals(row!.status, "completed");
});
