import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { decodeHex } from "@sabika/protocol";
import { random } from "../../../test/support/random.ts";
import { fileKeys } from "../../../test/support/test_admin.ts";
import { newMasterKey, readMasterKeys } from "./master_keys.ts";
import { sealedWith } from "./seal.ts";
import { deriveWrappingKeys } from "./wrapping_keys.ts";

const plain = new TextEncoder().encode("whsec_not-for-anyone-else");

test("a sealed value opens only for its own row", async () => {
  const keys = fileKeys(newMasterKey("k1", random));
  const sealed = await keys.seal("webhook_secrets/1/a", plain);
  assertEquals(await keys.open("webhook_secrets/1/a", sealed), plain);
  await assertRejects(() => keys.open("webhook_secrets/2/a", sealed), Error, "does not open");
  assert(!new TextDecoder().decode(sealed).includes("whsec_"));
});

test("each purpose has a key of its own, and none opens what is sealed under another", async () => {
  const purposes = ["webhook_secrets", "token_keys", "authorities", "sealed_keys"];
  const keys = deriveWrappingKeys(readMasterKeys(newMasterKey("k1", random)));
  const other = deriveWrappingKeys(readMasterKeys(newMasterKey("k1", random)));
  const iv = random(12).slice();
  // The same iv and nothing else authenticated: only the key can tell them apart.
  const algorithm = { name: "AES-GCM", iv };
  for (const purpose of purposes) {
    const key = await keys.forPurpose("k1", purpose);
    assertEquals(key.extractable, false);
    const sealed = await crypto.subtle.encrypt(algorithm, key, plain);
    const opens: string[] = [];
    const all = [
      ...purposes.map(async (purpose) => [purpose, await keys.forPurpose("k1", purpose)] as const),
      ...purposes.map(async (purpose) =>
        [`other ${purpose}`, await other.forPurpose("k1", purpose)] as const
      ),
      keys.undivided("k1").then((key) => ["undivided", key] as const),
    ];
    for (const [name, key] of await Promise.all(all)) {
      if (await crypto.subtle.decrypt(algorithm, key, sealed).then(() => true, () => false)) {
        opens.push(name);
      }
    }
    assertEquals(opens, [purpose]);
  }
});

test("the key of a purpose is HKDF-SHA-256 of the master key, as another program derives it", async () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => index);
  const keys = deriveWrappingKeys({ currentId: "k1", keys: new Map([["k1", bytes]]) });
  const iv = new Uint8Array(12);
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv },
    await keys.forPurpose("k1", "webhook_secrets"),
    new Uint8Array(16),
  );
  // Python's cryptography: HKDF(SHA256(), 32, b"", b"sabika/v2\nwebhook_secrets"), then AESGCM.
  const expected = "988e9f5981e08883c952671a0d48f032a7409ca332e98f6fc9ee2cc67b13348e";
  assertEquals(new Uint8Array(sealed), decodeHex(expected)!);
});

test("what 1.0.0 sealed under the master key itself opens, and is due to be sealed again", async () => {
  const line = "2026:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  const keys = fileKeys(line);
  const sealed = decodeHex(
    "04323032366465666768696a6b6c6d6e6f3f73ad031ab639f8135371d8f455a8053f46312654581c0f6339a0d985b3",
  )!;
  const opened = await keys.open("webhook_secrets/1/a", sealed);
  assertEquals(new TextDecoder().decode(opened), "whsec_of-1.0.0");
  await assertRejects(() => keys.open("webhook_secrets/1/b", sealed), Error, "does not open");
  assertEquals([sealedWith(sealed), keys.isCurrent(sealed)], ["2026", false]);
  const again = await keys.seal("webhook_secrets/1/a", opened);
  assertEquals([sealedWith(again), keys.isCurrent(again)], ["2026", true]);
});

test("a sealed value with any byte changed does not open", async () => {
  const keys = fileKeys(newMasterKey("k1", random));
  const sealed = await keys.seal("row", plain);
  for (let i = 0; i < sealed.length; i++) {
    const bad = Uint8Array.from(sealed);
    bad[i]! ^= 1;
    await assertRejects(async () => await keys.open("row", bad), Error);
  }
});

test("a new master key seals while the old one still opens what it sealed", async () => {
  const old = newMasterKey("2026", random);
  const sealed = await fileKeys(old).seal("row", plain);
  const text = `# newest first\n${newMasterKey("2027", random)}\n${old}\n`;
  assertEquals(readMasterKeys(text).currentId, "2027");
  const both = fileKeys(text);
  assertEquals(await both.open("row", sealed), plain);
  const again = await both.seal("row", plain);
  assertEquals([sealedWith(sealed), sealedWith(again)], ["2026", "2027"]);
  await assertRejects(async () => await fileKeys(old).open("row", again), Error, "2027");
});

test("readMasterKeys() refuses a malformed line without quoting it", () => {
  const texts = ["", "# only", "k1", "k1:AAAA", `k1:${"A".repeat(43)}`, "a b:" + "A".repeat(43)];
  for (const text of texts) {
    const error = assertThrows(() => readMasterKeys(text), SyntaxError);
    assert(!error.message.includes("AAAA"));
  }
  const line = newMasterKey("k1", random);
  assertThrows(() => readMasterKeys(`${line}\n${line}`), SyntaxError, "repeats");
});
