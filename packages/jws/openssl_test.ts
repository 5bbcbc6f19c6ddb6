import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  encodeBase64Url,
  importPublicPem,
  publicJwk,
  rawSignatureFromDer,
  signDetached,
  type Signer,
  signingInput,
  thumbprint,
  verifyDetached,
} from "./mod.ts";
import { encodeProtectedHeader } from "./protected_header.ts";

const folder = mkdtempSync(join(tmpdir(), "sabika-jws-"));
after(() => rmSync(folder, { recursive: true }));

const file = (name: string): string => join(folder, name);
const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

openssl(
  "genpkey",
  "-algorithm",
  "EC",
  "-pkeyopt",
  "ec_paramgen_curve:P-256",
  "-out",
  file("k.pem"),
);
openssl("pkey", "-in", file("k.pem"), "-pubout", "-out", file("k.pub"));

const PAYLOAD = "POST\nhttps://127.0.0.1:8443/v1/orders\nab\n1795167000\n0123456789abcdef";

const sign = (input: Uint8Array): Uint8Array => {
  writeFileSync(file("input"), input);
  openssl("dgst", "-sha256", "-sign", file("k.pem"), "-out", file("sig"), file("input"));
  return new Uint8Array(readFileSync(file("sig")));
};

test("signDetached() takes openssl as a signer", async () => {
  const imported = await importPublicPem(readFileSync(file("k.pub"), "utf8"));
  assert(imported.ok);
  const keyId = await thumbprint(await publicJwk(imported.key));
  const signer: Signer = {
    keyId,
    sign: (input) => Promise.resolve(rawSignatureFromDer(sign(input))!),
  };
  // Some signatures have a short r or s: enough rounds to meet them now and then.
  for (let round = 0; round < 12; round++) {
    const jws = await signDetached(PAYLOAD, signer, { keyId });
    assertEquals(await verifyDetached(jws, PAYLOAD, imported.key), { ok: true, keyId });
  }
});

test("a signature in DER is neither made nor accepted", async () => {
  const imported = await importPublicPem(readFileSync(file("k.pub"), "utf8"));
  assert(imported.ok);
  const inDer: Signer = { keyId: "", sign: (input) => Promise.resolve(sign(input)) };
  await assertRejects(() => signDetached(PAYLOAD, inDer), TypeError, "rawSignatureFromDer");
  const header = encodeProtectedHeader(undefined);
  const jws = `${header}..${encodeBase64Url(sign(signingInput(header, PAYLOAD)))}`;
  const refused = { ok: false, code: "signature_length" } as const;
  assertEquals(await verifyDetached(jws, PAYLOAD, imported.key), refused);
});
