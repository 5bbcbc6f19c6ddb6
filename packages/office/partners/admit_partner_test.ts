import { test } from "node:test";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { writeKit } from "@sabika/identity/keys";
import { listAudit } from "@sabika/service/audit";
import { createRegister, matchesClientSecret, readAddresses } from "@sabika/service/partners";
import { anAdmission, openTestAdmin } from "../../../test/support/test_admin.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { admitPartner } from "./admit_partner.ts";
import { addAddress, removeAddress } from "./partner_operations.ts";
import { each } from "../../../test/support/each.ts";

test("a partner admitted with keys is in the register, and its kit is complete and private", async (t) => {
  const admin = await openTestAdmin();
  const register = createRegister({ ...admin, pollMs: 60_000 });
  const folder = temporaryFolder();
  t.after(async () => {
    register.close();
    await admin.close();
  });
  await register.refresh();
  assertEquals(register.byClientId("bank-one"), undefined);
  const admitted = await admitPartner(
    admin,
    anAdmission("bank-one", { addresses: ["192.0.2.0/24", "192.0.2.0/24", "2001:DB8::1"] }),
  );
  assert(admitted.ok);
  await register.refresh();
  const partner = register.byClientId("bank-one");
  assert(partner !== undefined);
  assertEquals(partner.addresses, ["192.0.2.0/24", "2001:db8::1/128"]);
  const hashHex = admitted.value.certificate!.hashHex;
  assertEquals(register.byCertificate(hashHex)?.partner, partner);
  assertEquals(partner.signingKeys[0]?.keyId, admitted.value.kit.signingKeyId);
  const matches = (text: string) =>
    matchesClientSecret(admin.secrets, partner.clientSecrets, text, admin.now());
  assert(await matches(admitted.value.kit.clientSecret));
  assert(!await matches(admitted.value.kit.clientSecret + "x"));
  assert(!await matchesClientSecret(admin.secrets, undefined, "", admin.now()));

  const files = await writeKit(folder, "https://127.0.0.1:8443", admitted.value.kit);
  assertEquals(
    files.sort(),
    each("ca.crt client.crt client.key partner.json receiver.crt receiver.key signing.key"),
  );
  assertEquals((await stat(folder)).mode & 0o777, 0o700);
  for (const name of await readdir(folder)) {
    assertEquals((await stat(join(folder, name))).mode & 0o777, 0o600);
  }
  const partnerJson = JSON.parse(await readFile(join(folder, "partner.json"), "utf8"));
  assertEquals(
    Object.keys(partnerJson),
    each(`
      environment base_url client_id client_secret webhook_secret webhook_url settlement_iban
      signing_key_id`),
  );
  const [entry] = await listAudit(admin.database.sql, { limit: 10 });
  assertEquals([entry?.who, entry?.from, entry?.action], ["tester", "test", "partner.create"]);
  assert(!JSON.stringify(entry?.detail).includes(partnerJson.client_secret));
});

test("a refused admission gives the reason and writes nothing", async (t) => {
  const admin = await openTestAdmin("production");
  t.after(() => admin.close());
  const cases: [Parameters<typeof anAdmission>[1], string][] = [
    [{ clientId: "Bank One" }, "lower-case"],
    [{ name: "" }, "name"],
    [{ iban: "SA0380000000608010167518" }, "check digits"],
    [{ webhookUrl: "http://bank.example/hook" }, "https"],
    [{ webhookUrl: "https://127.0.0.1:9000/hook" }, "not public"],
    [{ webhookUrl: "https://user:pw@bank.example/hook" }, "user name"],
    [{ addresses: ["192.0.2.1/24"] }, "after its prefix"],
    [{ addresses: [] }, "at least one source address"],
    [{ csr: "nonsense" }, "not a certificate signing request"],
    [{ signingKey: "nonsense" }, "not a public key"],
    [{}, "sandbox only"],
  ];
  const addresses = ["192.0.2.1"];
  for (const [part, reason] of cases) {
    const admitted = await admitPartner(admin, anAdmission("bank-one", { addresses, ...part }));
    assert(!admitted.ok);
    assertStringIncludes(admitted.detail, reason);
  }
  const good = anAdmission("bank-one", { addresses, withKeys: false });
  assert((await admitPartner(admin, good)).ok);
  const repeated = await admitPartner(admin, good);
  assertEquals(repeated.ok ? "accepted" : repeated.code, "already_exists");
  const [count] = await admin.database.sql<{ n: number }[]>`
      select (select count(*) from partners)::int + (select count(*) from audit_log)::int as n`;
  assertEquals(count?.n, 2);
});

test("in production a partner's last source address stays until there is another", async (t) => {
  const admin = await openTestAdmin("production");
  t.after(() => admin.close());
  const addresses = ["192.0.2.1"];
  const good = anAdmission("bank-one", { addresses, withKeys: false });
  assert((await admitPartner(admin, good)).ok);
  const removed = await removeAddress(admin, "bank-one", "192.0.2.1");
  assertEquals(removed.ok ? "removed" : removed.code, "invalid_state");
  assert((await addAddress(admin, "bank-one", "192.0.2.2")).ok);
  assert((await removeAddress(admin, "bank-one", "192.0.2.1")).ok);
  assertEquals(await readAddresses(admin.database.sql), [
    { clientId: "bank-one", addresses: ["192.0.2.2/32"] },
  ]);
});
