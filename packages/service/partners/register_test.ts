import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { newMasterKey } from "@sabika/identity/secrets";
import { admitPartner } from "@sabika/office/partners";
import { byForce } from "../../../test/support/by_force.ts";
import { random } from "../../../test/support/random.ts";
import {
  anAdmission,
  fileKeys,
  openTestAdmin,
  rootInMemory,
} from "../../../test/support/test_admin.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { until } from "../../../test/support/until.ts";
import { DeploymentError, openDeployment, openSecrets } from "../deployment/deployment.ts";
import { createRegister } from "./register.ts";

test("a change reaches another instance's register only by polling", async (t) => {
  const admin = await openTestAdmin();
  const database = openDatabase(admin.testDatabase.urlAs("sabika_app"), { maxConnections: 1 });
  const register = createRegister({ ...admin, database, now: Date.now, pollMs: 20 });
  t.after(async () => {
    register.close();
    await database.close();
    await admin.close();
  });
  const admitted = await admitPartner(admin, anAdmission("bank-one"));
  assert(admitted.ok);
  await until(() => register.byClientId("bank-one") !== undefined);
  assertEquals(register.byClientId("bank-one")?.partnerId, admitted.value.partnerId);
});

test("a register follows a database that a restore set back", async (t) => {
  const admin = await openTestAdmin();
  const register = createRegister({ ...admin, pollMs: 60_000 });
  t.after(async () => {
    register.close();
    await admin.close();
  });
  assert((await admitPartner(admin, anAdmission("bank-one"))).ok);
  await register.refresh();
  await byForce(admin.database, "update register_state set revision = revision - 1");
  await register.refresh();
  assert((await admitPartner(admin, anAdmission("bank-two"))).ok);
  await register.refresh();
  assertEquals(register.byClientId("bank-two")?.clientId, "bank-two");
});

test("the first start makes one token key, which verifies what it signs", async (t) => {
  const admin = await openTestAdmin();
  const register = createRegister({ ...admin, pollMs: 60_000 });
  t.after(async () => {
    register.close();
    await admin.close();
  });
  await register.refresh();
  const key = register.signingTokenKey(admin.now());
  assert(key !== undefined);
  assertEquals(register.tokenKeys().length, 1);
  assertEquals(register.tokenKey(key.keyId, admin.now()), key);
  const data = new Uint8Array([1, 2, 3]);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = await crypto.subtle.sign(algorithm, key.privateKey, data);
  assert(await crypto.subtle.verify(algorithm, key.publicKey, signature, data));
});

test("a database opens only with its own master key and environment", async (t) => {
  const admin = await openTestAdmin("sandbox");
  t.after(() => admin.close());
  const open = (masterKeyText: string, environment: "sandbox" | "production") =>
    openDeployment({
      database: admin.database,
      keys: fileKeys(masterKeyText),
      environment,
      nowMs: admin.now(),
      random,
    });
  const again = await open(admin.masterKeyText, "sandbox");
  assertEquals(again.authorities.root.pem, admin.authorities.root.pem);
  const hash = (secrets: typeof admin.secrets) => secrets.hashClientSecret("x");
  assertEquals(await hash(again.secrets), await hash(admin.secrets));
  await assertRejects(() => open(admin.masterKeyText, "production"), Error, "belongs to sandbox");
  await assertRejects(() => open(newMasterKey("test-1", random), "sandbox"), Error, "test-1");
  await assertRejects(() => open(newMasterKey("test-2", random), "sandbox"), Error, "test-1");
});

test("a server opens the secrets of a deployment, but never makes them", async (t) => {
  const { database, close } = await openTestDatabase();
  const options = {
    database,
    keys: fileKeys(newMasterKey("test-1", random)),
    environment: "sandbox" as const,
    nowMs: Date.now(),
    random,
  };
  t.after(() => close());
  await assertRejects(() => openSecrets(options), DeploymentError, "sabika partner create");
  const rows = await database.sql`select from deployment, sealed_keys, authorities`;
  assertEquals(rows.length, 0);
  await assertRejects(() => openDeployment(options), DeploymentError, "sabika authority create");
  await openDeployment({ ...options, root: rootInMemory() });
  await openSecrets(options);
  const other = { ...options, environment: "production" as const };
  await assertRejects(() => openSecrets(other), DeploymentError, "belongs to sandbox");
});
