import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { assertEquals, assertRejects } from "@std/assert";
import { random } from "../../../test/support/random.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { createFileKeys, newMasterKey, readMasterKeys } from "@sabika/identity/secrets";
import { createFileSigner, openSignedFile, readRevocations, writeRevocations } from "./mod.ts";

const keysOf = (name: string) =>
  createFileKeys({ masterKeys: readMasterKeys(newMasterKey(name, random)), random });
const LIST = { asOfMs: 7, by: "office", certificates: ["ab"], tokens: [], suspended: ["bank-a"] };

test("revocations are believed only as they were signed, and only from the own deployment", async () => {
  const keys = keysOf("one");
  const signer = await createFileSigner(keys);
  const path = await writeRevocations({ folder: temporaryFolder(), name: "office", signer }, LIST);
  const file = await readFile(path, "utf8");
  assertEquals(await readRevocations(keys, file), LIST);

  const [key, jws] = file.split("\n") as [string, string];
  const other = await signer.sign("sabika-revocations+jws", JSON.stringify({ ...LIST, asOfMs: 8 }));
  const [head, , signature] = jws.split(".");
  const mixed = [head, other.split("\n")[1]!.split(".")[1], signature].join(".");
  const stranger = await createFileSigner(keysOf("two"));
  const forged = await stranger.sign("sabika-revocations+jws", JSON.stringify(LIST));
  const otherKind = await signer.sign("sabika-snapshot+jws", JSON.stringify(LIST));
  const cases = [
    ["the signature does not fit", `${key}\n${mixed}\n`],
    ["is not at hand", forged],
    ["does not open", `${key}\n${forged.split("\n")[1]}\n`],
    ["no signed file of that kind", otherKind],
    ["no signed file", ""],
  ] as const;
  for (const [message, wrong] of cases) {
    await assertRejects(() => readRevocations(keys, wrong), Error, message);
  }
  assertEquals(await openSignedFile(keys, "sabika-snapshot+jws", otherKind), JSON.stringify(LIST));
});
