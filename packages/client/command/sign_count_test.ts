import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ATTESTATION_KEYS, importPublicPem, publicJwk, thumbprint } from "@sabika/protocol";
import { testRecord } from "../../../test/secret_search/record.ts";
import { captureIo } from "../../../test/support/captured_io.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { run } from "./run.ts";

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const openssl = (...args: string[]) =>
  execFileSync("openssl", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

async function command(...args: string[]) {
  const { io, read } = captureIo();
  return { code: await run(args, io), ...read() };
}

const COUNT =
  '{"counted_at":"2026-11-20T08:00:00.000Z","different":[],"found":["B-1"],"missing":["B-2"],"place":null,"pool":"main","version":2}';

test("an inspector signs a count with a key of openssl, and verify count says what holds", async () => {
  const curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
  openssl("genpkey", ...curve, "-out", at("k.pem"));
  testRecord.secretsIn(await readFile(at("k.pem"), "utf8"));
  const imported = await importPublicPem(openssl("pkey", "-in", at("k.pem"), "-pubout"));
  assert(imported.ok);
  const { x, y } = await publicJwk(imported.key);
  const keyId = await thumbprint({ kty: "EC", crv: "P-256", x, y });
  const holder = "Gulf Inspection";
  const key = { keyId, x, y, role: "inspector", holder, validFromMs: 0 } as const;
  await writeFile(at("keys.json"), ATTESTATION_KEYS.write([{ ...key, validUntilMs: null }]));
  await writeFile(at("count.json"), `${COUNT}\n`);

  const sign = (...more: string[]) =>
    command("sign", "count", at("count.json"), "--key", at("k.pem"), ...more);
  const signed = await sign("--out", at("count.jws"));
  assertEquals(signed.code, 0, signed.errors);
  for (const said of ["main, version 2", "missing +B-2", `key +${keyId}`]) {
    assertMatch(signed.out, new RegExp(said));
  }
  const verify = async (count: string) => {
    const files = [at("count.jws"), "--keys", at("keys.json"), "--count", at(count)];
    return await command("verify", "count", ...files, "--json");
  };
  assertEquals((await verify("count.json")).code, 0);
  await writeFile(at("none_missing.json"), COUNT.replace('["B-2"]', "[]"));
  const other = await verify("none_missing.json");
  assertEquals([other.code, JSON.parse(other.out).faults], [1, ["other_count"]]);
  const shown = await command("verify", "count", at("count.jws"), "--keys", at("keys.json"));
  assertMatch(shown.out, /Gulf Inspection[^]*main, version 2[^]*B-2/);
  assert((await command("verify", "count", at("count.jws"))).code !== 0);
  // Nothing is overwritten; the standard output has the signature alone.
  assertEquals((await sign("--out", at("count.jws"))).code, 1);
  const printed = await sign();
  assertMatch(printed.out, /^[\w-]+\.[\w-]+\.[\w-]{86}$/);
  assertMatch(printed.errors, /main, version 2/);
});

test("what is no count, and what is no private key, is not signed", async () => {
  await writeFile(at("other.json"), COUNT.replace('"place":null', '"place": null'));
  const other = await command("sign", "count", at("other.json"), "--key", at("k.pem"));
  assertEquals([other.code, other.out], [1, ""]);
  assertMatch(other.errors, /is no count/);
  await writeFile(at("k.pub"), openssl("pkey", "-in", at("k.pem"), "-pubout"));
  const wrongKey = await command("sign", "count", at("count.json"), "--key", at("k.pub"));
  assertEquals([wrongKey.code, wrongKey.out], [1, ""]);
  for (const args of [["count", at("count.json")], ["count"], ["order"], []]) {
    assertEquals((await command("sign", ...args)).code, 2, args.join(" "));
  }
});
