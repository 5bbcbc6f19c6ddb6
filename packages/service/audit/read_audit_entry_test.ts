import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { addPerson } from "../../../test/support/test_people.ts";
import { whileChanged } from "../../../test/support/while_changed.ts";
import { listAudit } from "./audit.ts";
import { readAuditEntry } from "./read_audit_entry.ts";
import { readSignatures } from "./read_signatures.ts";

const admin = await openTestAdmin();
after(() => admin.close());
const { database, database: { sql } } = admin;
const amal = await addPerson(admin, "amal", ["administrator", "prices"]);
assert((await amal.ask("price.pause")).ok);

const entries = await listAudit(sql, { limit: 9 });
const [pause, unsigned] = entries;
const read = (auditId: bigint) => readAuditEntry(sql, admin.environment, auditId);
const signature = { keyId: amal.key.keyId, rpId: null, fits: true, dossier: null };

test("an entry is read by its number, with its signature if it has one", async () => {
  assertEquals(pause?.action, "price.pause");
  assertEquals(await read(pause!.auditId), { ...pause!, signature });
  assertEquals(await read(unsigned!.auditId), { ...unsigned!, signature: null });
  for (const none of [0n, pause!.auditId + 1n]) assertEquals(await read(none), undefined);
  assertEquals(
    await readSignatures(sql, admin.environment, entries),
    new Map([[pause!.auditId, signature]]),
  );
  assertEquals(await readSignatures(sql, admin.environment, [unsigned!]), new Map());
});

/** What somebody who may write everything could change. */
const CHANGES = [
  ["audit_log", "audit_id", "actor", "'badr'"],
  ["audit_log", "audit_id", "detail", "jsonb_set(detail::jsonb, '{signature}', '\"x.y.z\"')::text"],
  ["acts", "act_id", "name", "'price.resume'"],
  ["operator_keys", "key_id", "public_jwk", "'{}'"],
] as const;

for (const [table, key, column, value] of CHANGES) {
  test(`a signature does not fit once ${column} of ${table} is another`, async () => {
    const of = { table, key, columns: [column] };
    const changed = await whileChanged(
      database,
      of,
      `${column} = ${value}`,
      () => read(pause!.auditId),
    );
    assertEquals(changed?.signature, { ...signature, fits: false });
    assertEquals((await read(pause!.auditId))?.signature, signature);
  });
}
