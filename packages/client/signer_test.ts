import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import {
  importPublicSpki,
  publicJwk,
  signDetached,
  thumbprint,
  verifyDetached,
} from "@sabika/protocol";
import { answer, ORDER, order, scriptedService } from "../../test/support/scripted_service.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import {
  KitError,
  type KmsLike,
  makeSigningRequest,
  openKmsSigner,
  SabikaError,
  type Signer,
} from "./mod.ts";

const service = await scriptedService();

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const openssl = (...args: string[]) =>
  new Uint8Array(execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] }));

const K = ["-in", file("k")];

/** Makes a key of a curve, with which openssl signs as AWS KMS does. */
function kmsOf(curve: string): KmsLike {
  const kind = ["-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:${curve}`];
  openssl("genpkey", ...kind, "-out", file("k"));
  testRecord.secretsIn(readFileSync(file("k"), "utf8"));
  return {
    getPublicKey: () =>
      Promise.resolve({ PublicKey: openssl("pkey", ...K, "-pubout", "-outform", "DER") }),
    sign: ({ Message, MessageType }) => {
      writeFileSync(file("message"), Message);
      const how = ["-sign", "-inkey", file("k"), "-in", file("message")];
      const hash = MessageType === "RAW" ? ["-rawin", "-digest", "sha256"] : [];
      return Promise.resolve({ Signature: openssl("pkeyutl", ...how, ...hash) });
    },
  };
}

test("a key in a key service signs short and long texts, and its DER becomes r‖s", async () => {
  const signer = await openKmsSigner(kmsOf("P-256"), "alias/sabika");
  const imported = await importPublicSpki(openssl("pkey", ...K, "-pubout", "-outform", "DER"));
  if (!imported.ok) throw new Error(imported.code);
  assertEquals(signer.keyId, await thumbprint(await publicJwk(imported.key)));
  for (const text of ["short", "x".repeat(5_000)]) {
    const jws = await signDetached(text, signer, signer);
    assertEquals((await verifyDetached(jws, text, imported.key)).ok, true, text.slice(0, 5));
  }
});

test("makeSigningRequest() proves the possession of a key in a key service", async () => {
  const signer = await openKmsSigner(kmsOf("P-256"), "alias/sabika");
  const subject = { clientId: "bank-one", organisation: "بنك" };
  writeFileSync(file("csr"), await makeSigningRequest(subject, signer.publicKey, signer));
  const how = ["-verify", "-noout", "-subject", "-nameopt", "RFC2253,utf8,-esc_msb"];
  const shown = new TextDecoder().decode(openssl("req", "-in", file("csr"), ...how));
  assertEquals(shown.trim(), "subject=CN=bank-one,O=بنك");
});

test("openKmsSigner() refuses a key of another curve", async () => {
  const error = await assertRejects(() => openKmsSigner(kmsOf("P-384"), "alias/sabika"), KitError);
  assertEquals(error.message, "alias/sabika: it is no P-256 key: not_p256");
});

test("a signer that fails or does not answer is a signer_failed error, and nothing is sent", async () => {
  const cause = new Error("the HSM is away");
  const keyId = service.kit.signingKeyId;
  let signings = 0;
  const fails: Signer = { keyId, sign: () => (signings++, Promise.reject(cause)) };
  const isSilent: Signer = { keyId, sign: () => new Promise(() => {}) };
  for (const [signingKey, timeoutMs] of [[fails, undefined], [isSilent, 5]] as const) {
    const options = { kit: { signingKey }, ...timeoutMs && { timeoutMs } };
    const { client, calls } = service.play(() => answer(201, ORDER), options);
    const error = await assertRejects(() => order(client), SabikaError);
    assertEquals([error.code, error.retryable], ["signer_failed", true]);
    assertEquals(calls.length, 0);
  }
  assertEquals(signings, 6);
  const stopping = new AbortController();
  const signingKey: Signer = { keyId, sign: () => new Promise(() => stopping.abort(cause)) };
  const { client } = service.play(() => answer(201, ORDER), { kit: { signingKey } });
  const stopped = assertRejects(() => client.probe("{}", { signal: stopping.signal }), Error);
  assertEquals(await stopped, cause);
});
