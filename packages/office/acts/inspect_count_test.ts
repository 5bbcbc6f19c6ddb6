import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { COUNT_TYPE, verifyCount } from "@sabika/protocol";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { findCount, findInspection, readAttestationKeys } from "@sabika/service/vault";
import { readDossier } from "./read_dossier.ts";
import { writeLine } from "./dossier/write_line.ts";
import { actAs } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { registerOutsider, signCount } from "../../../test/support/test_outsider.ts";

const PLACE = 'الرياض, "shelf" \\ 4';
const admin = await openTestAdmin();
const inspector = await registerOutsider(admin, "inspector");
for (const serial of ["B-1", "B 2", "b.3", "A/4"]) {
  const bar = { serial, refiner: "R", fineness: "999.9", weight_grams: "5", place: PLACE };
  assert((await actAs(admin, "vault.bar.add", bar)).ok);
}
after(() => admin.close());

const sign = (text: string, key = inspector, typ = COUNT_TYPE) => signCount(text, key, typ);

/** Counts; returns the count's id and text. */
async function count(bars: string[], place?: string) {
  const done = await actAs(admin, "vault.count", { bars, ...place !== undefined && { place } });
  assert(done.ok);
  const { countId } = done.value;
  return { countId, text: (await findCount(admin.database.sql, countId))!.text! };
}

const inspect = async (count: string, signature: string) => {
  const outcome = await actAs(admin, "vault.count.inspect", { count, signature });
  return outcome.ok ? "done" : `${outcome.code}: ${outcome.detail}`;
};

test("the database writes a count as the service does, and an inspector's signature under it holds", async () => {
  const { sql } = admin.database;
  for (const place of [PLACE, undefined]) {
    const { countId, text } = await count(["b.3", "B-1=4.9"], place);
    const [row] = await sql`select pool_count_text(${countId}) as text`;
    assertEquals(row!["text"], text);
    assertEquals(await findInspection(sql, countId), null);
    const jws = await sign(text);
    const input = { count: countId, signature: jws };
    const dossier = await readDossier({ ...admin, sql }, "vault.count.inspect", input);
    assert(dossier.ok);
    const said = dossier.value.map((line) => writeLine(line, "en"));
    assertEquals(said.map(({ label, value }) => `${label}: ${value}`), [
      `Count: ${countId}`,
      "Pool: main",
      `Vault and place: ${place ?? "the whole vault"}`,
      "Of these seen: 2",
      "Missing: A/4, B 2",
      "Weight differs (list, scale): B-1",
      "Holder of the key: Gulf Inspection",
      `Key: ${inspector.keyId}`,
    ]);
    assertEquals(await inspect(countId, `${jws}\n`), "done");
    const inspection = (await findInspection(sql, countId))!;
    assertEquals([inspection.holder, inspection.keyId, inspection.signature], [
      "Gulf Inspection",
      inspector.keyId,
      jws,
    ]);
    const keys = await readAttestationKeys(sql);
    const { faults } = await verifyCount({ jws: inspection.signature, keys, text });
    assertEquals(faults, []);
    assertEquals(
      await inspect(countId, jws),
      `already_exists: an inspector signed the count ${countId} before`,
    );
  }
  const { findings } = await withAuditRecord(sql, verifyAudit);
  assertEquals(findings, []);
});

test("a signature that is not the inspector's of this very count is refused, by act and database", async () => {
  const { sql } = admin.database;
  const { countId, text } = await count(["B-1"]);
  const auditor = await registerOutsider(admin, "auditor");
  const ended = await registerOutsider(admin, "inspector");
  const endedJws = await sign(text, ended);
  assert((await actAs(admin, "attestation-key.end", { key: ended.keyId })).ok);
  const [header, , signature] = (await sign(text)).split(".");
  const other = await count(["B-1", "B 2"]);
  const cases: [jws: string, detail: string, constraint: string][] = [
    ["x", "this is no inspector's signature under a count", "attested_malformed"],
    [
      await sign(text, inspector, "sabika-attestation"),
      "this is no inspector's signature under a count",
      "attested_other_type",
    ],
    [
      await sign(text, { ...inspector, keyId: "x".repeat(43) }),
      "no registered key signed the count",
      "attested_unknown_key",
    ],
    [
      `${header}.${(await sign(other.text)).split(".")[1]}.${signature}`,
      "the count was changed after it was signed",
      "attested_altered",
    ],
    [
      await sign(text, auditor),
      "the key that signed the count is not an inspector's",
      "attested_other_role",
    ],
    [endedJws, "the key that signed the count has ended", "attested_key_ended"],
    [await sign(other.text), "another count was signed", "vault_count_signatures_count"],
    [
      await sign(text.replace("main", "other")),
      "another count was signed",
      "vault_count_signatures_count",
    ],
  ];
  for (const [jws, detail, constraint] of cases) {
    assertEquals(await inspect(countId, jws), `signature_invalid: ${detail}`);
    const failed = await assertRejects(() =>
      sql`insert into vault_count_signatures values (${countId}, ${inspector.keyId}, ${jws}, now())`
    );
    assertEquals((failed as { constraint_name?: string }).constraint_name, constraint);
  }
  // What the owner writes by force, the replay finds.
  const foreign = await sign(text);
  await byForce(
    admin.database,
    `insert into vault_count_signatures values ('${countId}', '${inspector.keyId}', '${foreign}', now())`,
  );
  const { findings } = await withAuditRecord(sql, verifyAudit);
  assertEquals(findings.map(({ message }) => message), [
    `vault_count_signatures ${countId}: no entry has it`,
  ]);
  assertEquals(await inspect("1", await sign(text)), "not_found: there is no count 1");
  assert((await actAs(admin, "pool.create", { pool: "second" })).ok);
  const all = await actAs(admin, "vault.count", { bars: [] });
  assert(all.ok);
  assertEquals(
    await inspect(all.value.countId, await sign(text)),
    `invalid_state: the count ${all.value.countId} names no pool: an inspector signs one`,
  );
});
