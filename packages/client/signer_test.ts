import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { checkSignedHeaders, sha256Hex, verifySignedRequest } from "@sabika/protocol";
import {
  answer,
  BASE_URL,
  ORDER,
  order,
  type ScriptedService,
  scriptedService,
} from "../../test/support/scripted_service.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import {
  importPublicPem,
  KitError,
  type KmsLike,
  openKmsSigner,
  SabikaError,
  type Signer,
} from "./mod.ts";

let service: ScriptedService;
before(async () => void (service = await scriptedService()));

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const openssl = (...args: string[]) =>
  new Uint8Array(execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] }));

/** Makes a key of a curve, with which openssl signs as AWS KMS does. */
function kmsOf(curve: string): KmsLike {
  openssl(
    "genpkey",
    "-algorithm",
    "EC",
    "-pkeyopt",
    `ec_paramgen_curve:${curve}`,
    "-out",
    file("k"),
  );
  testRecord.secretsIn(readFileSync(file("k"), "utf8"));
  return {
    getPublicKey: () =>
      Promise.resolve({
        PublicKey: openssl("pkey", "-in", file("k"), "-pubout", "-outform", "DER"),
      }),
    sign: ({ Message }) => {
      writeFileSync(file("digest"), Message);
      const how = ["-sign", "-inkey", file("k"), "-in", file("digest")];
      return Promise.resolve({ Signature: openssl("pkeyutl", ...how) });
    },
  };
}

test("an order is signed with a key in a key service, whose DER becomes r‖s", async () => {
  const signer = await openKmsSigner(kmsOf("P-256"), "alias/sabika");
  const { client, calls } = service.play(() => answer(201, ORDER), {
    kit: { signingKey: signer, signingKeyId: signer.keyId },
  });
  assertEquals((await order(client)).status, "executed");
  const [{ headers: sent, body }] = calls as [typeof calls[number]];
  const headers = checkSignedHeaders({
    timestamp: sent["x-timestamp"],
    nonce: sent["x-nonce"],
    signature: sent["x-jws-signature"],
  });
  if (!headers.ok) throw new Error(headers.code);
  const imported = await importPublicPem(
    new TextDecoder().decode(openssl("pkey", "-in", file("k"), "-pubout")),
  );
  if (!imported.ok) throw new Error(imported.code);
  const verified = await verifySignedRequest({
    method: "POST",
    baseUrl: BASE_URL,
    target: "/v1/orders",
    bodySha256: await sha256Hex(body!),
    headers,
    keys: [{ keyId: signer.keyId, publicKey: imported.key }],
  });
  assertEquals(verified.ok && verified.keyId, signer.keyId);
});

test("openKmsSigner() refuses a key of another curve", async () => {
  const error = await assertRejects(() => openKmsSigner(kmsOf("P-384"), "alias/sabika"), KitError);
  assertEquals(error.message, "alias/sabika: it is no P-256 key: not_p256");
});

test("a signer that fails or does not answer is a signer_failed error, and nothing is sent", async () => {
  const cause = new Error("the HSM is away");
  const keyId = service.kit.signingKeyId;
  for (const sign of [() => Promise.reject(cause), () => new Promise<never>(() => {})]) {
    let signings = 0;
    const kit = { signingKey: { keyId, sign: () => (signings++, sign()) } };
    const { client, calls } = service.play(() => answer(201, ORDER), { kit, timeoutMs: 5 });
    const error = await assertRejects(() => order(client), SabikaError);
    assertEquals([error.code, error.retryable], ["signer_failed", true]);
    assertEquals([signings, calls.length], [6, 0]);
  }
  const stopping = new AbortController();
  const signingKey: Signer = { keyId, sign: () => new Promise(() => stopping.abort(cause)) };
  const { client } = service.play(() => answer(201, ORDER), { kit: { signingKey } });
  const stopped = assertRejects(() => client.probe("{}", { signal: stopping.signal }), Error);
  assertEquals(await stopped, cause);
});
