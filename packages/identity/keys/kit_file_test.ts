import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { armor, Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { unpackTar } from "modern-tar";
import { openKitFile } from "../../../test/support/open_kit_file.ts";
import { random } from "../../../test/support/random.ts";
import { type Kit, kitFiles } from "./kit.ts";
import { encryptKit, isRecipient, PASSPHRASE } from "./kit_file.ts";

const BASE_URL = "https://sabika.test";
const KIT: Kit = {
  environment: "sandbox",
  clientId: "bank-two",
  clientSecret: "no secret",
  webhookSecret: "no secret either",
  webhookUrl: null,
  settlementIban: "SA0380000000608010167519",
  signingKeyId: null,
  caPem: "an authority",
  clientCertificatePem: null,
  clientKeyPem: null,
  signingKeyPem: null,
  receiver: null,
};
const FILES = Object.fromEntries([
  ["bank-two/", ""],
  ...kitFiles(BASE_URL, KIT).map(([name, text]) => [`bank-two/${name}`, text]),
]);
const encrypt = (to: string) => encryptKit(KIT, { baseUrl: BASE_URL, to, nowMs: 0, random });

test("a kit's file is opened by its recipient's identity, and by no other", async () => {
  const identity = await generateX25519Identity();
  const { name, text, passphrase } = await encrypt(await identityToRecipient(identity));
  assertEquals([name, passphrase], ["bank-two.tar.age", null]);
  assertEquals(await openKitFile(text, identity), FILES);
  const other = await generateX25519Identity();
  await assertRejects(() => openKitFile(text, other));
});

test("a kit's file is opened by its passphrase, which differs each time", async () => {
  const { text, passphrase } = await encrypt(PASSPHRASE);
  assertMatch(passphrase!, /^[0-9a-hjkmnp-tv-z]{5}(?:-[0-9a-hjkmnp-tv-z]{5}){4}$/);
  assertEquals(await openKitFile(text, passphrase!), FILES);
  const other = await encrypt(PASSPHRASE);
  await assertRejects(() => openKitFile(text, other.passphrase!));
});

test("a kit's folder is its owner's alone when it is unpacked", async () => {
  const { text, passphrase } = await encrypt(PASSPHRASE);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase!);
  const entries = await unpackTar(await decrypter.decrypt(armor.decode(text)));
  assertEquals(
    entries.map(({ header: { name, mode } }) => [name, mode?.toString(8)]),
    [["bank-two/", "700"], ["bank-two/partner.json", "600"], ["bank-two/ca.crt", "600"]],
  );
});

test("an age recipient is told from one with a typing mistake, and from an identity", async () => {
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  assert(await isRecipient(recipient));
  const last = recipient.at(-1) === "q" ? "p" : "q";
  const mistakes = [recipient.slice(0, -1) + last, recipient.slice(0, -1), identity, "age1", ""];
  for (const wrong of mistakes) {
    assertEquals(await isRecipient(wrong), false, wrong);
  }
});
