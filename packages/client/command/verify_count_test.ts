import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  ATTESTATION_KEYS,
  type AttestationKey,
  COUNT_TYPE,
  encodeUtf8,
  publicJwk,
  signCompact,
  thumbprint,
} from "@sabika/protocol";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import type { Io } from "./io.ts";
import { run } from "./run.ts";

const folder = temporaryFolder();

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function verify(...args: string[]) {
  const lines: string[] = [];
  const io: Io = {
    print: (line) => lines.push(line),
    printError: (line) => lines.push(line),
    colours: false,
    readInput: () => Promise.resolve(""),
    askSecret: () => Promise.resolve(undefined),
    now: () => 0,
    interrupted: new AbortController().signal,
  };
  return { code: await run(["verify", "count", ...args], io), text: lines.join("\n") };
}

test("verify count prints who signed a count, what it found, and what does not hold", async () => {
  const pair = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const jwk = await publicJwk(pair.publicKey);
  const keyId = await thumbprint(jwk);
  const key: AttestationKey = {
    keyId,
    x: jwk.x,
    y: jwk.y,
    role: "inspector",
    holder: "Gulf Inspection",
    validFromMs: 0,
    validUntilMs: null,
  };
  const text =
    '{"counted_at":"2026-11-20T08:00:00.000Z","different":[],"found":["B-1"],"missing":["B-2"],"place":null,"pool":"main","version":2}';
  const jws = await signCompact(encodeUtf8(text), pair.privateKey, { typ: COUNT_TYPE, keyId });
  const signature = await file("count.jws", `${jws}\n`);
  const keys = await file("keys.json", ATTESTATION_KEYS.write([key]));
  const genuine = await verify(
    signature,
    "--keys",
    keys,
    "--count",
    await file("count.json", text),
  );
  assertEquals(genuine.code, 0, genuine.text);
  assertEquals(/Gulf Inspection[^]*main, version 2[^]*B-2/.test(genuine.text), true, genuine.text);
  const other = await file("other.json", text.replace('"missing":["B-2"]', '"missing":[]'));
  const differing = await verify(signature, "--keys", keys, "--count", other, "--json");
  assertEquals([differing.code, JSON.parse(differing.text).faults], [1, ["other_count"]]);
  assertEquals((await verify(signature)).code !== 0, true);
});
