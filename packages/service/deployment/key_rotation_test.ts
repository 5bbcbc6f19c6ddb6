import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openReceiptKey, readReceiptKeys } from "@sabika/identity/receipts";
import { createFileKeys, newMasterKey, readMasterKeys } from "@sabika/identity/secrets";
import { rotateReceiptKey, rotateTokenKey } from "@sabika/office/partners";
import { random } from "../../../test/support/random.ts";
import { fileKeys, withBank } from "../../../test/support/test_admin.ts";
import { matchesClientSecret } from "../partners/client_secret.ts";
import { createRegister } from "../partners/register.ts";
import { readWebhookSecrets } from "../partners/webhook_secrets.ts";
import { readFeedSettings } from "../prices/feed_settings.ts";
import { readPriceSettings, setPriceOrigin } from "../prices/price_settings.ts";
import { openDeployment } from "./deployment.ts";
import { countSealed, resealAll } from "./rotate_master_key.ts";

test("after a rotation the new master key opens all secrets, and a running instance follows", () =>
  withBank(async (admin, kit) => {
    const next = newMasterKey("test-2", random);
    const file = { text: admin.masterKeyText };
    const open = (masterKeyText: string) =>
      openDeployment({
        ...admin,
        keys: createFileKeys({
          masterKeys: readMasterKeys(masterKeyText),
          reload: () => Promise.resolve(readMasterKeys(file.text)),
          random,
        }),
        nowMs: admin.now(),
      });
    const running = await open(admin.masterKeyText);
    const register = createRegister({ ...admin, ...running, pollMs: 60_000 });
    await register.refresh();
    const partnerId = register.byClientId("bank-one")!.partnerId;

    const feed = readFeedSettings({
      url: "https://prices.example/xau?key=hidden",
      path: "$.price",
    });
    assert(typeof feed !== "string");
    assert((await setPriceOrigin(admin, { source: "feed", feed })).ok);

    // One value as 1.0.0 sealed it.
    const { sql } = admin.database;
    const [row] = await sql<{ id: string; sealed: Uint8Array }[]>`
      select secret_id as id, sealed_secret as sealed from webhook_secrets`;
    const identity = `webhook_secrets/${partnerId}/${row!.id}`;
    const plain = await admin.secrets.open(identity, row!.sealed);
    const old = await sealAsFirstRelease(admin.masterKeyText, identity, plain);
    assert(!admin.secrets.isCurrent(old));
    await sql`update webhook_secrets set sealed_secret = ${old}`;

    file.text = `${next}\n${admin.masterKeyText}`;
    assertEquals([...(await countSealed(admin)).keys()], ["test-1"]);
    const resealed = await resealAll(admin, fileKeys(file.text), "master-key.rotate");
    assert(resealed.ok);
    assertEquals([...(await countSealed(admin))], [["test-2", resealed.value.resealed]]);
    file.text = next;

    await register.refresh();
    register.close();
    assert(register.signingTokenKey(admin.now()) !== undefined);
    const hooks = (secrets: typeof admin.secrets) =>
      readWebhookSecrets(admin.database.sql, secrets, partnerId, admin.now());
    assertEquals(await hooks(running.secrets), [kit.webhookSecret]);
    const { secrets } = await open(next);
    assert(await openReceiptKey(admin.database.sql, secrets) !== undefined);
    const prices = await readPriceSettings(admin.database.sql, secrets);
    assertEquals(prices?.origin, { source: "feed", feed });
    const known = register.byClientId("bank-one")!.clientSecrets;
    assert(await matchesClientSecret(secrets, known, kit.clientSecret, admin.now()));
  }));

test("a new token key signs after its lead time, and the old one verifies for a token's lifetime", () =>
  withBank(async (admin) => {
    const register = createRegister({ ...admin, pollMs: 60_000 });
    await register.refresh();
    const old = register.signingTokenKey(admin.now())!;
    const rotated = await rotateTokenKey(admin);
    assert(rotated.ok);
    await register.refresh();
    register.close();
    const { keyId, signsFromMs } = rotated.value;
    assertEquals(register.tokenKeys().length, 2);
    assertEquals(register.signingTokenKey(signsFromMs - 1)?.keyId, old.keyId);
    assertEquals(register.signingTokenKey(signsFromMs)?.keyId, keyId);
    assert(register.tokenKey(old.keyId, signsFromMs + 600_000) !== undefined);
    assert(register.tokenKey(old.keyId, signsFromMs + 661_000) === undefined);
    // A further rotation ends the key before it alone.
    admin.clock.nowMs += 60_000;
    assert((await rotateTokenKey(admin)).ok);
    await register.refresh();
    assertEquals(register.tokenKeys().length, 3);
    assert(register.tokenKey(old.keyId, signsFromMs + 661_000) === undefined);
  }));

test("a new receipt key signs at once; the old one stays published, and cannot sign again", () =>
  withBank(async (admin) => {
    const { database: { sql }, secrets } = admin;
    const old = (await openReceiptKey(sql, secrets))!;
    const rotated = await rotateReceiptKey(admin);
    assert(rotated.ok);
    const { keyId, endedKeyId } = rotated.value;
    assertEquals(endedKeyId, old.keyId);
    assertEquals((await openReceiptKey(sql, secrets))?.keyId, keyId);
    const keys = await readReceiptKeys(sql);
    assertEquals(keys.map((key) => [key.keyId, key.validUntilMs === null]), [
      [keyId, true],
      [old.keyId, false],
    ]);
    assert(keys[1]!.validUntilMs! > keys[0]!.validFromMs);
    const rows = await sql<{ id: string }[]>`
      select key_id as id from receipt_keys where sealed_private_key is not null`;
    assertEquals(rows.map(({ id }) => id), [keyId]);
    await assertRejects(
      () => sql`update receipt_keys set valid_until = null where key_id = ${old.keyId}`,
      Error,
      "append only",
    );
  }));

/** Seals as 1.0.0 did: under the master key itself. */
async function sealAsFirstRelease(
  masterKey: string,
  identity: string,
  plain: Uint8Array,
): Promise<Uint8Array> {
  const { keys, currentId } = readMasterKeys(masterKey);
  const encoder = new TextEncoder();
  const [id, iv] = [encoder.encode(currentId), random(12).slice()];
  const additionalData = encoder.encode(`sabika/v1\n${currentId}\n${identity}`);
  const bytes = keys.get(currentId)!.slice();
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv, additionalData };
  const sealed = await crypto.subtle.encrypt(algorithm, key, plain.slice());
  return Uint8Array.from([id.length, ...id, ...iv, ...new Uint8Array(sealed)]);
}
