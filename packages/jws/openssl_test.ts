import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  encodeBase64Url,
  importPublicPem,
  rawSignatureFromDer,
  signingInput,
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

test("verifyDetached() accepts signatures of openssl, but never in DER", async () => {
  const imported = await importPublicPem(readFileSync(file("k.pub"), "utf8"));
  assert(imported.ok);
  const header = encodeProtectedHeader(undefined);
  writeFileSync(file("input"), signingInput(header, PAYLOAD));
  // Some signatures have a short r or s: enough rounds to meet them now and then.
  for (let round = 0; round < 12; round++) {
    openssl("dgst", "-sha256", "-sign", file("k.pem"), "-out", file("sig"), file("input"));
    const der = new Uint8Array(readFileSync(file("sig")));
    const raw = rawSignatureFromDer(der);
    assert(raw !== undefined);
    const jws = `${header}..${encodeBase64Url(raw)}`;
    assertEquals(await verifyDetached(jws, PAYLOAD, imported.key), { ok: true, keyId: undefined });
    const inDer = await verifyDetached(`${header}..${encodeBase64Url(der)}`, PAYLOAD, imported.key);
    assertEquals(inDer, { ok: false, code: "signature_length" });
  }
});
