import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openDatabase } from "../store/database.ts";
import { openDeployment } from "./deployment.ts";
import { admitPartner } from "./operations/admit_partner.ts";
import { createRegister } from "./register.ts";
import { newMasterKey, readMasterKeys } from "./secrets/master_keys.ts";
import { anAdmission, openTestDesk, random } from "../../../test/support/test_desk.ts";

test("a change reaches another instance's register by polling alone", async () => {
  const desk = await openTestDesk();
  const database = openDatabase(desk.testDatabase.url, { maxConnections: 1 });
  const register = createRegister({ ...desk, database, now: Date.now, pollMs: 20 });
  try {
    const admitted = await admitPartner(desk, anAdmission("bank-one"));
    assert(admitted.ok);
    const started = Date.now();
    while (register.byClientId("bank-one") === undefined && Date.now() - started < 5_000) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assertEquals(register.byClientId("bank-one")?.partnerId, admitted.value.partnerId);
  } finally {
    register.close();
    await database.close();
    await desk.close();
  }
});

test("a register that cannot see the database is not fresh", async () => {
  const desk = await openTestDesk();
  const database = openDatabase(desk.testDatabase.url, { maxConnections: 1 });
  const register = createRegister({ ...desk, database, pollMs: 60_000 });
  try {
    assert(!register.isFresh(desk.now()));
    await register.refresh();
    assert(register.isFresh(desk.now()));
    await database.close();
    desk.clock.nowMs += 901;
    await assertRejects(() => register.refresh());
    assert(!register.isFresh(desk.now()));
    // A clock that was set back does not make an old picture a new one (faults F19).
    desk.clock.nowMs -= 600_000;
    assert(!register.isFresh(desk.now()));
  } finally {
    register.close();
    await desk.close();
  }
});

test("who asks while a look is under way gets the next one, which all of them share", async () => {
  const desk = await openTestDesk();
  const register = createRegister({ ...desk, pollMs: 60_000 });
  try {
    const first = register.refresh();
    const [second, third] = [register.refresh(), register.refresh()];
    assert(second !== first);
    assert(third === second);
    await Promise.all([first, second]);
    const later = register.refresh();
    assert(later !== second);
    await later;
  } finally {
    register.close();
    await desk.close();
  }
});

test("a token key is there from the first start, once, and signs what it verifies", async () => {
  const desk = await openTestDesk();
  const register = createRegister({ ...desk, pollMs: 60_000 });
  try {
    await register.refresh();
    const key = register.signingTokenKey(desk.now());
    assert(key !== undefined);
    assertEquals(register.tokenKeys().length, 1);
    assertEquals(register.tokenKey(key.keyId, desk.now()), key);
    const data = new Uint8Array([1, 2, 3]);
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(algorithm, key.privateKey, data);
    assert(await crypto.subtle.verify(algorithm, key.publicKey, signature, data));
  } finally {
    register.close();
    await desk.close();
  }
});

test("a database opens with its own master key and environment only, and twice the same", async () => {
  const desk = await openTestDesk("sandbox");
  try {
    const open = (masterKeyText: string, environment: "sandbox" | "production") =>
      openDeployment({
        database: desk.database,
        masterKeys: readMasterKeys(masterKeyText),
        environment,
        nowMs: desk.now(),
        random,
      });
    const again = await open(desk.masterKeyText, "sandbox");
    assertEquals(again.authorities.root.pem, desk.authorities.root.pem);
    const hash = (secrets: typeof desk.secrets) => secrets.hashClientSecret("x");
    assertEquals(await hash(again.secrets), await hash(desk.secrets));
    await assertRejects(() => open(desk.masterKeyText, "production"), Error, "belongs to sandbox");
    await assertRejects(() => open(newMasterKey("test-1", random), "sandbox"), Error, "test-1");
    await assertRejects(() => open(newMasterKey("test-2", random), "sandbox"), Error, "test-1");
  } finally {
    await desk.close();
  }
});
