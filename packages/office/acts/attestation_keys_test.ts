import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { readAttestationKeys } from "@sabika/service/vault";
import { codeOf } from "../../../test/support/acts.ts";
import { openTestBank } from "../../../test/support/test_admin.ts";
import { registerOutsider } from "../../../test/support/test_outsider.ts";
import { performAct } from "./perform.ts";

const { admin } = await openTestBank();
after(() => admin.close());

const act = (name: string, input: Record<string, string>) =>
  performAct(admin, { name, arguments: input });

test("a key of an inspector is registered once and ended once, and stays listed with its end", async () => {
  const { keyId, publicPem: key } = await registerOutsider(admin, "inspector");
  for (const role of ["inspector", "auditor"]) {
    const again = await act("attestation-key.add", { role, holder: "Another", key });
    assertEquals(codeOf(again), "already_exists");
  }
  assertEquals(codeOf(await act("attestation-key.end", { key: keyId })), "done");
  assertEquals(codeOf(await act("attestation-key.end", { key: keyId })), "not_found");
  const [listed] = await readAttestationKeys(admin.database.sql);
  assertEquals([listed!.keyId, listed!.role, listed!.holder], [
    keyId,
    "inspector",
    "Gulf Inspection",
  ]);
  assert(listed!.validUntilMs !== null);
  await assertRejects(
    () => admin.database.sql`update attestation_keys set valid_until = null`,
    Error,
    "append only",
  );
});

test("what is no public key on P-256 and what the service signs with is no outsider's key", async () => {
  const [own] = await admin.database.sql<{ key: string }[]>`
    select jsonb_build_object('kty', 'EC', 'crv', 'P-256', 'x', public_jwk -> 'x', 'y', public_jwk -> 'y')::text as key
    from signing_keys limit 1`;
  const outsider = { role: "auditor", holder: "Auditors" };
  const cases: [key: string, code: string][] = [
    ["{}", "invalid_signing_key"],
    ["a key", "invalid_signing_key"],
    ...own === undefined ? [] : [[own.key, "already_exists"] as [string, string]],
  ];
  assertEquals(cases.length, 3);
  for (const [key, code] of cases) {
    assertEquals(codeOf(await act("attestation-key.add", { ...outsider, key })), code);
  }
});
