import { after, before, test } from "node:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { makeTestKit } from "../../test/support/test_kit.ts";
import type { TestKit } from "../../test/support/test_kit.ts";
import { createTestAuthority } from "../../test/support/test_certificates.ts";
import { KitError, openKit } from "./mod.ts";

let files: TestKit;
const texts = new Map<string, string>();

before(async () => void (files = await makeTestKit("https://api.example")));
after(() => files.remove());

/** Opens the kit with one file changed; what is said about it. */
async function complaint(name: string, text: string | null): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const kept = texts.get(name) ?? await readFile(join(files.folder, name), "utf8");
  texts.set(name, kept);
  if (text === null) await rm(join(files.folder, name));
  else await files.write(name, text);
  const error = await assertRejects(() => openKit(files.folder), KitError);
  await files.write(name, kept);
  assertEquals(error.file, join(files.folder, name));
  assertStringIncludes(error.message, error.file);
  return error.message;
}

test("openKit() reads the kit of Decision D43", async () => {
  const kit = await openKit(files.folder);
  assertEquals(
    [
      kit.environment,
      kit.baseUrl,
      kit.clientId,
      kit.clientSecret,
      kit.signingKeyId,
      kit.webhookUrl,
    ],
    [
      "sandbox",
      "https://api.example",
      "demo",
      files.partner.client_secret!,
      files.partner.signing_key_id!,
      null,
    ],
  );
  assertEquals([kit.signingKey.extractable, kit.signingKey.usages], [false, ["sign"]]);
  assertEquals(kit.receiver, null);
});

test("openKit() finds out the signing key's id when the kit states none", async () => {
  await files.write("partner.json", JSON.stringify({ ...files.partner, signing_key_id: null }));
  assertEquals((await openKit(files.folder)).signingKeyId, files.partner.signing_key_id);
  await files.write("partner.json", JSON.stringify(files.partner));
});

test("openKit() names the missing file and where it comes from", async () => {
  assertStringIncludes(
    await complaint("partner.json", null),
    "is this the folder of a partner kit?",
  );
  assertStringIncludes(await complaint("ca.crt", null), "the operator gives it");
  assertStringIncludes(await complaint("client.crt", null), "returns it for your CSR");
  assertStringIncludes(await complaint("client.key", null), "made your CSR with");
  assertStringIncludes(await complaint("signing.key", null), "registered for signing");
});

test("openKit() says how to convert a key of another form", async () => {
  const sec1 = "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n";
  assertStringIncludes(
    await complaint("client.key", sec1),
    "openssl pkcs8 -topk8 -nodes -in client.key",
  );
  const locked =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
  assertStringIncludes(await complaint("signing.key", locked), "passphrase");
  assertStringIncludes(await complaint("ca.crt", "hello"), 'no PEM "CERTIFICATE"');
});

test("openKit() refuses a signing key that is not the registered one, or no P-256 key", async () => {
  const other = await (await createTestAuthority()).issue();
  assertStringIncludes(await complaint("signing.key", other.privateKeyPem), "signing_key_id");
  const p384 = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, [
    "sign",
  ]);
  const { privatePem } = await import("../../test/support/private_pem.ts");
  const pem = await privatePem((p384 as CryptoKeyPair).privateKey);
  assertStringIncludes(await complaint("signing.key", pem), "P-256");
});

test("openKit() refuses a client key that does not belong to the certificate", async () => {
  const other = await files.authority.issue();
  const message = await complaint("client.key", other.privateKeyPem);
  assertStringIncludes(message, "does not belong to client.crt");
});

test("openKit() reads the first certificate of a chain", async () => {
  const { readFile } = await import("node:fs/promises");
  const leaf = await readFile(join(files.folder, "client.crt"), "utf8");
  await files.write("client.crt", `${leaf}\n${files.authority.certificatePem}`);
  await openKit(files.folder);
  await files.write("client.crt", leaf);
});

test("openKit() refuses a partner.json that cannot be meant", async () => {
  const changed = (members: object) => JSON.stringify({ ...files.partner, ...members });
  assertStringIncludes(await complaint("partner.json", "{"), "not JSON");
  assertStringIncludes(await complaint("partner.json", "[]"), "not a JSON object");
  assertStringIncludes(await complaint("partner.json", changed({ client_id: 7 })), '"client_id"');
  assertStringIncludes(
    await complaint("partner.json", changed({ environment: "test" })),
    '"environment"',
  );
  for (
    const base_url of [
      "http://api.example",
      "https://api.example/",
      "https://a.example?x",
      "api.example",
    ]
  ) {
    assertStringIncludes(await complaint("partner.json", changed({ base_url })), '"base_url"');
  }
});

test("a kit and its errors show no secret", async () => {
  const kit = await openKit(files.folder);
  const shown = inspect(kit, { depth: 9, showHidden: false }) + JSON.stringify({ kit }) +
    String(kit);
  for (const secret of [kit.clientSecret, kit.webhookSecret!, "PRIVATE KEY"]) {
    assert(!shown.includes(secret), shown);
  }
  const broken = `{"client_secret":"${files.partner.client_secret}"`;
  assert(!(await complaint("partner.json", broken)).includes("sk_"));
});
