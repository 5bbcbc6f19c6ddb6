import { after, before, test } from "node:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { testRecord } from "../../../test/secret_search/record.ts";
import { run } from "./run.ts";

let folder: string;
before(async () => void (folder = await mkdtemp(join(tmpdir(), "sabika-keys-"))));
after(() => rm(folder, { recursive: true, force: true }));

/** Runs a command that asks nothing to its end. */
async function ends(args: string[]) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await run(args, {
    print,
    printError: print,
    colours: false,
    readInput: () => Promise.resolve(""),
    askSecret: () => Promise.resolve(undefined),
    now: Date.now,
    interrupted: new AbortController().signal,
  });
  testRecord.log("sabika-client", lines.join("\n"));
  return { code, output: lines.join("\n") };
}

test("keys makes two keys and their requests, and never overwrites", async () => {
  const out = join(folder, "keys");
  const args = ["keys", "--client-id", "bank-1", "--organisation", "بنك One & Co", "--out", out];
  assertEquals((await ends(args)).code, 0);
  assertEquals((await readdir(out)).sort(), [
    "client.csr",
    "client.key",
    "signing.csr",
    "signing.key",
  ]);
  for (const name of ["client", "signing"]) {
    assertEquals((await stat(join(out, `${name}.key`))).mode & 0o777, 0o600);
    const words = ["req", "-in", join(out, `${name}.csr`), "-verify", "-noout", "-subject"];
    const openssl = spawnSync("openssl", [...words, "-nameopt", "utf8"], { encoding: "utf8" });
    assertEquals(openssl.status, 0, openssl.stderr);
    assertMatch(openssl.stdout, /O ?= ?بنك One & Co, ?CN ?= ?bank-1/);
  }
  const key = await readFile(join(out, "signing.key"), "utf8");
  testRecord.secretsIn(key);
  const again = await ends(args);
  assertEquals(again.code, 1);
  assertStringIncludes(again.output, "client.key is there already: nothing was written");
  assertEquals(await readFile(join(out, "signing.key"), "utf8"), key);
});

test("keys wants a client id and an organisation", async () => {
  assertEquals((await ends(["keys", "--client-id", "bank-1"])).code, 2);
  assertEquals((await ends(["keys", "--organisation", "One"])).code, 2);
});
