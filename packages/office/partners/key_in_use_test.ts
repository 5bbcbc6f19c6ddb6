import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { toPem } from "@sabika/identity/keys";
import { listCredentials } from "@sabika/service/partners";
import { codeOf } from "../../../test/support/acts.ts";
import { anAdmission, openTestAdmin, type TestAdmin } from "../../../test/support/test_admin.ts";
import { makePartnerKey } from "../../../test/support/test_request.ts";
import { admitPartner } from "./admit_partner.ts";
import { issueCertificate, registerSigningKey } from "./credential_operations.ts";
import { rotateCertificate, rotateSigningKey } from "./rotate.ts";

const WITHOUT_KEYS = { withKeys: false, addresses: ["192.0.2.1"] };

async function withTwoPartners(
  environment: "sandbox" | "production",
  body: (admin: TestAdmin) => Promise<void>,
): Promise<void> {
  const admin = await openTestAdmin(environment);
  try {
    for (const id of ["bank-one", "bank-two"]) {
      assert((await admitPartner(admin, anAdmission(id, WITHOUT_KEYS))).ok);
    }
    await body(admin);
  } finally {
    await admin.close();
  }
}

test("a signing key is refused for a second partner, also when both add it at once", () =>
  withTwoPartners("sandbox", async (admin) => {
    const key = await makePartnerKey();
    assertEquals(codeOf(await registerSigningKey(admin, "bank-one", key.publicPem)), "done");
    const second = await registerSigningKey(admin, "bank-two", key.publicPem);
    assertEquals(codeOf(second), "key_in_use");
    assertStringIncludes(second.ok ? "" : second.detail, 'a signing key of "bank-one"');
    const rotated = await rotateSigningKey(admin, "bank-two", { overlapMs: 0, key: key.publicPem });
    assertEquals(codeOf(rotated), "key_in_use");
    assertEquals(
      codeOf(await registerSigningKey(admin, "bank-one", key.publicPem)),
      "already_exists",
    );
    const third = await admitPartner(
      admin,
      anAdmission("bank-three", { withKeys: false, signingKey: key.publicPem }),
    );
    assertEquals(codeOf(third), "key_in_use");

    const contested = await makePartnerKey();
    const outcomes = await Promise.all(
      ["bank-one", "bank-two"].map((id) => registerSigningKey(admin, id, contested.publicPem)),
    );
    assertEquals(outcomes.map(codeOf).sort(), ["done", "key_in_use"]);
  }));

test("a certificate's key is refused as signing key, and a signing key in a certificate", () =>
  withTwoPartners("sandbox", async (admin) => {
    const [client, signing, both] = [
      await makePartnerKey(),
      await makePartnerKey(),
      await makePartnerKey(),
    ];
    assert((await issueCertificate(admin, "bank-one", await client.csr("bank-one"))).ok);
    for (const id of ["bank-one", "bank-two"]) {
      assertEquals(codeOf(await registerSigningKey(admin, id, client.publicPem)), "key_in_use");
    }
    const foreign = await issueCertificate(admin, "bank-two", await client.csr("bank-two"));
    assertEquals(codeOf(foreign), "key_in_use");
    // A new certificate for the partner's own key is a renewal.
    const overlap = { overlapMs: 0, csr: await client.csr("bank-one") };
    assert((await rotateCertificate(admin, "bank-one", overlap)).ok);

    assert((await registerSigningKey(admin, "bank-one", signing.publicPem)).ok);
    for (const id of ["bank-one", "bank-two"]) {
      const csr = await signing.csr(id);
      assertEquals(codeOf(await issueCertificate(admin, id, csr)), "key_in_use");
      assertEquals(codeOf(await rotateCertificate(admin, id, { overlapMs: 0, csr })), "key_in_use");
    }
    const found = await listCredentials(admin.database.sql, admin.now(), { kind: "certificate" });
    assertEquals(found.map((use) => use.clientId), ["bank-one", "bank-one"]);

    const csr = await both.csr("bank-three");
    const admitted = await admitPartner(
      admin,
      anAdmission("bank-three", { withKeys: false, csr, signingKey: both.publicPem }),
    );
    assertEquals(codeOf(admitted), "key_in_use");
  }));

test("in production a signing key comes with a proof for this partner, in the sandbox without", () =>
  withTwoPartners("production", async (admin) => {
    const key = await makePartnerKey();
    const bare = await registerSigningKey(admin, "bank-one", key.publicPem);
    assertEquals(codeOf(bare), "proof_required");
    const options = { overlapMs: 0, key: key.publicPem };
    assertEquals(codeOf(await rotateSigningKey(admin, "bank-one", options)), "proof_required");
    const admission = anAdmission("bank-three", { ...WITHOUT_KEYS, signingKey: key.publicPem });
    assertEquals(codeOf(await admitPartner(admin, admission)), "proof_required");
    // Another partner's proof does not register that partner's key.
    const foreign = await registerSigningKey(admin, "bank-two", await key.csr("bank-one"));
    assertEquals(codeOf(foreign), "invalid_csr");
    const proof = await key.csr("bank-one");
    const der = Uint8Array.from(
      atob(proof.replace(/-----[^-]+-----|\s/g, "")),
      (letter) => letter.charCodeAt(0),
    );
    der[der.length - 1]! ^= 1;
    const forged = await registerSigningKey(admin, "bank-one", toPem("CERTIFICATE REQUEST", der));
    assertEquals(codeOf(forged), "invalid_csr");
    const proven = await registerSigningKey(admin, "bank-one", proof);
    assert(proven.ok);
    const sandbox = await openTestAdmin();
    try {
      assert((await admitPartner(sandbox, anAdmission("bank-one", { withKeys: false }))).ok);
      assertEquals(await registerSigningKey(sandbox, "bank-one", key.publicPem), proven);
    } finally {
      await sandbox.close();
    }
  }));
