import { test } from "node:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { encodeBase64, encodeBase64Url, encodeHex } from "@sabika/protocol";
import { random } from "../support/random.ts";
import { createSecretSearch } from "./find_secrets.ts";
import { judgeSearch, openRunRecord, searchRun } from "./search_run.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  await use(folder);
}

test("a secret that one test used is found in the log of another, in every spelling", () =>
  withFolder(async (folder) => {
    const bytes = random(32);
    const base64 = encodeBase64(bytes);
    const signature = encodeBase64Url(random(64));
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
    ]) as CryptoKeyPair;
    const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
    const pem = `-----BEGIN PRIVATE KEY-----\n${encodeBase64(der)}\n-----END PRIVATE KEY-----\n`;
    // The base64 encoding of bytes depends on the bytes before them.
    const inside = encodeBase64(Uint8Array.from([7, ...bytes, 7, 7]));
    const cases: readonly [kind: string, shown: string, logged: string][] = [
      ["client secret", `sk_${signature.slice(0, 43)}`, `sk_${signature.slice(0, 43)}`],
      ["webhook secret", `{"webhook_secret": "whsec_${base64}"}`, base64],
      ["master key", `2026-1:${base64}\n`, inside],
      ["private key", pem, encodeHex(der)],
      ["access token", `{"access_token":"eyJhIjoxfQ.eyJiIjoyfQ.${signature}"}`, signature],
      ["signature", `x-jws-signature: eyJhIjoxfQ..${signature}`, signature],
      ["database password", "postgres://sabika:0123456789abcdef@127.0.0.1:1/x", "0123456789abcdef"],
    ];
    for (const [index, [kind, shown, logged]] of cases.entries()) {
      const run = join(folder, String(index));
      openRunRecord(run, "first_test.ts").secretsIn(shown);
      openRunRecord(run, "second_test.ts").log("service", `info started\nlevel=info ${logged}\n`);
      const search = searchRun(run);
      assertEquals(search.findings.includes(`second_test.ts service, line 2: ${kind}`), true, kind);
      assertEquals(judgeSearch(search, true).failures, search.findings.length);
    }
  }));

test("text that looks like a secret is found although no test registered it", () => {
  const search = createSecretSearch([]);
  const plantedTexts = [
    `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJiYW5rIn0.${encodeBase64Url(random(64))}`,
    "authorization: Bearer eyJh",
    `whsec_${encodeBase64(random(32))}`,
    `sk_${encodeBase64Url(random(32))}`,
    "-----BEGIN EC PRIVATE KEY-----",
  ];
  for (const planted of plantedTexts) {
    assertEquals(search(`info\n${planted}`).map(({ line }) => line), [2], planted.slice(0, 12));
  }
});

test("a whole run without a secret or a log fails, and a partial run may pass", () =>
  withFolder(async (folder) => {
    const data = join(folder, "data");
    await mkdir(join(data, "postgresql"), { recursive: true });
    await writeFile(join(data, "edge_secrets"), "planted-0123456789abcdef\n");
    await writeFile(join(data, "postgresql", "PG_VERSION"), "18\n");
    await writeFile(join(data, "postgresql", "postgresql.log"), "planted-0123456789abcdef\n");
    assertEquals(judgeSearch(searchRun(folder), true).failures, 1);
    assertEquals(judgeSearch(searchRun(folder), false).failures, 0);
    openRunRecord(folder, "a").dataFolder(data);
    const { logs, secrets, findings } = searchRun(folder);
    assertEquals({ logs, secrets, findings }, {
      logs: 1,
      secrets: 1,
      findings: ["a postgresql.log, line 1: edge secret"],
    });
  }));
