import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { ATTESTATION_TYPE, verifyReserve } from "@sabika/protocol";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import { findReserve } from "@sabika/service/reserves";
import { readAttestationKeys } from "@sabika/service/vault";
import { actAs } from "../../../test/support/acts.ts";
import { byForce } from "../../../test/support/by_force.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { makeFirstReserve, signAttestation } from "../../../test/support/test_attestation.ts";
import { registerOutsider } from "../../../test/support/test_outsider.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";
import { writeLine } from "./dossier/write_line.ts";
import { readDossier } from "./read_dossier.ts";

const admin = await openTestAdmin();
await admitTestPartner(admin.database, {});
const auditor = await registerOutsider(admin, "auditor");
const day = await makeFirstReserve(admin);
after(() => admin.close());

const sign = (change = {}, key = auditor) => signAttestation(admin, day, key, change);
const attest = async (signature: string, of = day) => {
  const outcome = await actAs(admin, "reserve.attest", { day: of, signature });
  return outcome.ok ? "done" : `${outcome.code}: ${outcome.detail}`;
};

test("an attestation that is not the auditor's of this very reserve is refused, by act and database", async () => {
  const { sql } = admin.database;
  const inspector = await registerOutsider(admin, "inspector");
  const ended = await registerOutsider(admin, "auditor");
  const endedJws = await sign({}, ended);
  assert((await actAs(admin, "attestation-key.end", { key: ended.keyId })).ok);
  const [head, , signature] = (await sign()).split(".");
  const other = await sign({ hash: "0".repeat(64) });
  const cases: [jws: string, detail: string, constraint: string][] = [
    ["x", "this is no auditor's attestation of a reserve", "attested_malformed"],
    [
      await sign({ typ: "sabika-count" }),
      "this is no auditor's attestation of a reserve",
      "attested_other_type",
    ],
    [
      await sign({}, { ...auditor, keyId: "x".repeat(43) }),
      "no registered key signed the attestation",
      "attested_unknown_key",
    ],
    [
      `${head}.${other.split(".")[1]}.${signature}`,
      "the attestation was changed after it was signed",
      "attested_altered",
    ],
    [
      await sign({}, inspector),
      "the key that signed the attestation is not an auditor's",
      "attested_other_role",
    ],
    [endedJws, "the key that signed the attestation has ended", "attested_key_ended"],
    [other, "another reserve was attested", "reserve_attestations_reserve"],
    [
      await sign({ day: "2026-01-01" }),
      "another reserve was attested",
      "reserve_attestations_reserve",
    ],
  ];
  for (const [jws, detail, constraint] of cases) {
    assertEquals(await attest(jws), `signature_invalid: ${detail}`);
    const failed = await assertRejects(() =>
      sql`insert into reserve_attestations values (${day}::text::date, ${auditor.keyId}, ${jws}, now())`
    );
    assertEquals((failed as { constraint_name?: string }).constraint_name, constraint);
  }
  assertEquals((await findReserve(sql, day))!.isAttested, false);
  assertEquals(
    await attest(await sign(), "2026-01-01"),
    "not_found: there is no reserve of 2026-01-01",
  );
});

test("a reserve is attested once, its dossier says what was signed, and everybody can check it", async () => {
  const { sql } = admin.database;
  const signature = await sign();
  const { text, hash } = (await findReserve(sql, day))!;
  const input = { day, signature };
  const dossier = await readDossier({ ...admin, sql }, "reserve.attest", input);
  assert(dossier.ok);
  const said = dossier.value.map((line) => writeLine(line, "en"));
  assertEquals(said.map(({ label, value }) => `${label}: ${value}`), [
    `At the end of the day (Riyadh): ${day}`,
    `SHA-256 of the reserve: ${hash}`,
    "Partners in it: 1",
    "Cash owed to them: 0.00 SAR",
    "Holder of the key: Gulf Inspection",
    `Key: ${auditor.keyId}`,
  ]);
  assertEquals(await attest(`${signature}\n`), "done");
  const again = `already_exists: an auditor attested the reserve of ${day} before`;
  assertEquals(await attest(signature), again);

  const { attestation, isAttested } = (await findReserve(sql, day))!;
  assertEquals([attestation, isAttested], [signature, true]);
  const attestationKeys = await readAttestationKeys(sql);
  const { faults, attestedBy } = await verifyReserve({
    text,
    attestation: signature,
    attestationKeys,
  });
  assertEquals([faults, attestedBy?.keyId], [[], auditor.keyId]);
  assertEquals((await withAuditRecord(sql, verifyAudit)).findings, []);
});

test("the replay finds an attestation that the owner wrote or altered by force", async () => {
  const { database } = admin;
  const found = async (statement: string) => {
    await byForce(database, statement);
    const { findings } = await withAuditRecord(database.sql, verifyAudit);
    return findings.map(({ message }) => message);
  };
  const [altered] = await found(
    `update reserve_attestations set jws = '${await sign({ typ: ATTESTATION_TYPE })}'`,
  );
  assert(altered!.startsWith(`reserve_attestations ${day}: jws is `), altered);
  const [gone] = await found("delete from reserve_attestations");
  assert(/^reserve_attestations .*: entry \d+ left it, and it is gone$/.test(gone!), gone);
});
