import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { newMasterKey, readMasterKeys } from "./master_keys.ts";
import { open, seal, sealedWith } from "./seal.ts";

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const plain = new TextEncoder().encode("whsec_not-for-anyone-else");

test("a sealed value opens only for its own row", async () => {
  const keys = readMasterKeys(newMasterKey("k1", random));
  const sealed = await seal(keys, random, "webhook_secrets/1/a", plain);
  assertEquals(await open(keys, "webhook_secrets/1/a", sealed), plain);
  await assertRejects(() => open(keys, "webhook_secrets/2/a", sealed), Error, "does not open");
  assert(!new TextDecoder().decode(sealed).includes("whsec_"));
});

test("a sealed value with any byte changed does not open", async () => {
  const keys = readMasterKeys(newMasterKey("k1", random));
  const sealed = await seal(keys, random, "row", plain);
  for (let i = 0; i < sealed.length; i++) {
    const bad = Uint8Array.from(sealed);
    bad[i]! ^= 1;
    await assertRejects(async () => await open(keys, "row", bad), Error);
  }
});

test("a new master key seals while the old one still opens what it sealed", async () => {
  const old = newMasterKey("2026", random);
  const sealed = await seal(readMasterKeys(old), random, "row", plain);
  const both = readMasterKeys(`# newest first\n${newMasterKey("2027", random)}\n${old}\n`);
  assertEquals(both.currentId, "2027");
  assertEquals(await open(both, "row", sealed), plain);
  const again = await seal(both, random, "row", plain);
  assertEquals([sealedWith(sealed), sealedWith(again)], ["2026", "2027"]);
  await assertRejects(async () => await open(readMasterKeys(old), "row", again), Error, "2027");
});

test("readMasterKeys() refuses a malformed line without quoting it", () => {
  for (
    const text of ["", "# only", "k1", "k1:AAAA", `k1:${"A".repeat(43)}`, "a b:" + "A".repeat(43)]
  ) {
    const error = assertThrows(() => readMasterKeys(text), SyntaxError);
    assert(!error.message.includes("AAAA"));
  }
  const line = newMasterKey("k1", random);
  assertThrows(() => readMasterKeys(`${line}\n${line}`), SyntaxError, "repeats");
});
