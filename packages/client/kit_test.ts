import { test } from "node:test";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { createPrivateKey, type KeyObject } from "node:crypto";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { privatePem } from "../../test/support/private_pem.ts";
import { makeTestKit } from "../../test/support/test_kit.ts";
import {
  type Kit,
  KitError,
  kitFromEnvironment,
  type KitValues,
  openKit,
  type Signer,
} from "./mod.ts";

const files = await makeTestKit("https://api.example");
const texts = new Map<string, string>();

/** Opens the kit with one file changed; returns the message of the error. */
async function complaint(name: string, text: string | null): Promise<string> {
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

/** Reads a private key of the kit. */
const keyIn = async (name: string) =>
  createPrivateKey(await readFile(join(files.folder, name), "utf8"));
/** Encrypts a private key under a passphrase, as `openssl pkcs8` does. */
const locked = (key: KeyObject) =>
  key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "4711" }) as string;

test("openKit() takes values in place of files, and what is missing from the folder", async () => {
  const { folder, partner } = files;
  const read = (name: string) => readFile(join(folder, name), "utf8");
  const whole = await openKit(folder);
  const values: KitValues = {
    environment: partner.environment,
    baseUrl: partner.base_url,
    clientId: partner.client_id,
    caPem: await read("ca.crt"),
    certificatePem: await read("client.crt"),
    privateKeyPem: locked(await keyIn("client.key")),
    signingKey: (await keyIn("signing.key")).export({ type: "sec1", format: "pem" }) as string,
    passphrase: "4711",
  };
  const { signingKey, ...kit } = await openKit(values);
  const nothing = { folder: "", clientSecret: "", webhookSecret: null, settlementIban: null };
  const { signingKey: _, ...expected } = { ...whole, ...nothing };
  assertEquals({ ...kit }, { ...expected });
  assertEquals(signingKey.extractable, false);
  assertEquals((await openKit({ folder, clientSecret: "sk_new" })).clientSecret, "sk_new");
  assertEquals((await openKit({ folder, signingKey: whole.signingKey })).clientId, "demo");

  const refused = (wrong: KitValues) => assertRejects(() => openKit(wrong), KitError);
  assertStringIncludes((await refused({ ...values, passphrase: "x" })).message, "passphrase");
  assertEquals(
    (await refused({ ...values, caPem: undefined })).message,
    "caPem (SABIKA_KIT_CA_CRT): it is missing; the operator gives it with the kit",
  );
  const unnamed = { ...values, signingKey: whole.signingKey };
  assertStringIncludes((await refused(unnamed)).message, "signingKeyId");
});

test("openKit() takes a signer in place of the signing key", async () => {
  const { folder, partner } = files;
  const signer = { keyId: partner.signing_key_id!, sign: () => Promise.resolve(new Uint8Array()) };
  const kit: Kit<Signer> = await openKit({ folder, signingKey: signer });
  assertEquals([kit.signingKey, kit.signingKeyId], [signer, signer.keyId]);
  const stranger = { ...signer, keyId: "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U" };
  const error = await assertRejects(() => openKit({ folder, signingKey: stranger }), KitError);
  assertStringIncludes(error.message, "signing_key_id");
});

test("kitFromEnvironment() reads SABIKA_KIT and what goes before its files", async () => {
  const pem = await readFile(join(files.folder, "ca.crt"), "utf8");
  const env = {
    SABIKA_KIT: files.folder,
    SABIKA_KIT_CLIENT_ID: "other",
    SABIKA_KIT_CA_CRT: pem.replaceAll("\n", "\\n"),
    SABIKA_KIT_CLIENT_SECRET: "",
    SABIKA_ENVIRONMENT: "production",
  };
  assertEquals(kitFromEnvironment(env), { folder: files.folder, clientId: "other", caPem: pem });
  assertEquals((await openKit(kitFromEnvironment(env))).clientId, "other");
  const wrong = { ...env, SABIKA_KIT_BASE_URL: "http://api.example" };
  const error = await assertRejects(() => openKit(kitFromEnvironment(wrong)), KitError);
  assertEquals(error.file, "baseUrl (SABIKA_KIT_BASE_URL)");
});

test("openKit() computes the signing key's id when the kit states none", async () => {
  await files.write("partner.json", JSON.stringify({ ...files.partner, signing_key_id: null }));
  assertEquals((await openKit(files.folder)).signingKeyId, files.partner.signing_key_id);
  await files.write("partner.json", JSON.stringify(files.partner));
});

test("openKit() names the wrong file, what is wrong with it, and the remedy", async () => {
  const changed = (members: object) => JSON.stringify({ ...files.partner, ...members });
  const broken = "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n";
  const other = (await files.authority.issue()).privateKeyPem;
  const p384 = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, [
    "sign",
  ]);
  const baseUrls = [
    "http://api.example",
    "https://api.example/",
    "https://a.example?x",
    "api.example",
  ];
  const cases: readonly (readonly [file: string, text: string | null, complaint: string])[] = [
    ["partner.json", null, "is this the folder of a partner kit?"],
    ["ca.crt", null, "the operator gives it"],
    ["client.crt", null, "returns it for your CSR"],
    ["client.key", null, "made your CSR with"],
    ["signing.key", null, "registered for signing"],
    ["client.key", broken, "not a P-256 private key"],
    ["signing.key", locked(await keyIn("signing.key")), "SABIKA_KIT_PASSPHRASE"],
    ["ca.crt", "hello", 'no PEM "CERTIFICATE"'],
    ["signing.key", other, "signing_key_id"],
    ["signing.key", await privatePem(p384.privateKey), "P-256"],
    ["client.key", other, "does not belong to client.crt"],
    ["partner.json", "{", "not JSON"],
    ["partner.json", "[]", "not a JSON object"],
    ["partner.json", changed({ client_id: 7 }), '"client_id"'],
    ["partner.json", changed({ environment: "test" }), '"environment"'],
    ...baseUrls.map((base_url) => ["partner.json", changed({ base_url }), '"base_url"'] as const),
  ];
  for (const [file, text, expected] of cases) {
    assertStringIncludes(await complaint(file, text), expected);
  }
});

test("openKit() reads the first certificate of a chain", async () => {
  const leaf = await readFile(join(files.folder, "client.crt"), "utf8");
  await files.write("client.crt", `${leaf}\n${files.authority.certificatePem}`);
  await openKit(files.folder);
  await files.write("client.crt", leaf);
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
