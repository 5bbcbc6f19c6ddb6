/** The committed vectors, checked by independent programs: openssl, jose, standardwebhooks, Node. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  flattenedVerify,
  importSPKI,
} from "jose";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash, createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Webhook } from "standardwebhooks";

const folder = mkdtempSync(join(tmpdir(), "sabika-vectors-"));
after(() => rmSync(folder, { recursive: true }));

// deno-lint-ignore no-explicit-any
const read = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../../docs/vectors/${name}`, import.meta.url), "utf8"));
const utf8 = new TextEncoder();
const { keys } = read("keys.json");
const signer = keys.find((key: { name: string }) => key.name === "signer");
const canonical: { name: string; canonical: string; jws: string }[] =
  read("canonical_string.json").vectors;
const jws = read("jws.json");
const signed: { name: string; payload: string; jws: string }[] = [
  ...canonical.map(({ name, canonical, jws }) => ({ name, payload: canonical, jws })),
  ...jws.valid,
];

/** Verifies with jose, which must be told that `b64` is understood (RFC 7797). */
async function verifyWithJose(text: string, payload: string): Promise<void> {
  const [header = "", , signature = ""] = text.split(".");
  await flattenedVerify(
    { protected: header, payload: utf8.encode(payload), signature },
    await importSPKI(signer.public_key_pem, "ES256"),
    { crit: { b64: true }, algorithms: ["ES256"] },
  );
}

/** Verifies with openssl, which requires a signature in DER. */
function opensslVerifies(text: string, payload: string): boolean {
  const [header = "", , signature = ""] = text.split(".");
  const raw = Buffer.from(signature, "base64url");
  const numbers = [raw.subarray(0, 32), raw.subarray(32)].map(derInteger);
  const content = Buffer.concat(numbers);
  writeFileSync(
    join(folder, "signature"),
    Buffer.concat([Buffer.of(0x30, content.length), content]),
  );
  writeFileSync(join(folder, "key.pem"), signer.public_key_pem);
  const input = utf8.encode(`${header}.${payload}`);
  const args = ["dgst", "-sha256", "-verify", "key.pem", "-signature", "signature"];
  const { status } = spawnSync("openssl", args, { cwd: folder, input, stdio: "pipe" });
  return status === 0;
}

function derInteger(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  const sign = digits[0]! >= 0x80 ? [0] : [];
  return Buffer.from([0x02, sign.length + digits.length, ...sign, ...digits]);
}

for (const { name, payload, jws } of signed) {
  test(`jose and openssl verify the signature: ${name}`, async () => {
    await verifyWithJose(jws, payload);
    assert(opensslVerifies(jws, payload));
  });
}

test("jose and openssl refuse what does not fit the payload", async () => {
  const mismatches = jws.invalid.filter(({ refusal }: { refusal: string }) =>
    refusal === "signature_mismatch"
  );
  assert(mismatches.length > 0);
  for (const { name, jws, payload } of mismatches) {
    await assertRejects(() => verifyWithJose(jws, payload), Error);
    assert(!opensslVerifies(jws, payload), name);
  }
});

test("openssl computes the same hashes of bodies and canonical strings", () => {
  const requests = read("canonical_string.json")
    .vectors;
  for (const { body, body_sha256, canonical, canonical_sha256 } of requests) {
    const pairs: [string, string][] = [[body, body_sha256], [canonical, canonical_sha256]];
    for (const [text, expected] of pairs) {
      const args = ["dgst", "-sha256", "-r"];
      const printed = execFileSync("openssl", args, { input: utf8.encode(text), encoding: "utf8" });
      assertEquals(printed.slice(0, 64), expected);
    }
  }
});

test("Node reads one key out of each of its forms, and jose gives its thumbprint", async () => {
  for (const { jwk, private_key_pem, public_key_pem, key_id } of keys) {
    const fromPrivate = createPublicKey(private_key_pem).export({ format: "jwk" });
    const { d: _, ...members } = jwk;
    assertEquals(fromPrivate, members);
    assertEquals(createPublicKey(public_key_pem).export({ format: "jwk" }), members);
    assertEquals(await calculateJwkThumbprint(jwk), key_id);
  }
});

test("openssl and the RFC agree with the hash of the certificate", () => {
  for (const { certificate_pem, sha256, x5t_s256 } of read("certificate_hash.json").certificates) {
    const args = ["x509", "-noout", "-fingerprint", "-sha256"];
    const printed = execFileSync("openssl", args, { input: certificate_pem, encoding: "utf8" });
    assertEquals(printed.trim().split("=")[1]!.replaceAll(":", "").toLowerCase(), sha256);
    const hash = createHash("sha256").update(new X509Certificate(certificate_pem).raw);
    assertEquals(hash.digest("base64url"), x5t_s256);
    // The value in RFC 8705 appendix A.
    assertEquals(x5t_s256, "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0");
  }
});

test("the standardwebhooks package writes the signatures of the vectors", () => {
  for (const { secrets, id, timestamp, body, signature } of read("webhook.json").signatures) {
    const theirs = secrets.map((secret: string) =>
      new Webhook(secret).sign(id, new Date(timestamp * 1000), body)
    );
    assertEquals(theirs.join(" "), signature);
  }
});

test("jose verifies the receipts that a published key signed, and no altered one", async () => {
  const { receipts, keys } = read("receipt.json");
  let [signed, altered] = [0, 0];
  for (const { name, jws, keys: set, faults } of receipts) {
    const verified = compactVerify(jws, createLocalJWKSet(keys[set]), { algorithms: ["ES256"] });
    const refused = ["malformed", "wrong_algorithm", "unknown_key"].includes(faults[0]);
    if (faults[0] === "altered") {
      altered++;
      await assertRejects(() => verified, Error);
    } else if (refused) await verified.catch(() => {});
    else {
      signed++;
      assertEquals((await verified).protectedHeader.typ, "sabika-receipt", name);
    }
  }
  assert(signed > 40 && altered > 5);
});

test("openssl computes the same hashes of bar lists", () => {
  for (const { text, sha256 } of Object.values<Record<string, string>>(read("receipt.json").bars)) {
    const args = ["dgst", "-sha256", "-r"];
    const printed = execFileSync("openssl", args, { input: utf8.encode(text), encoding: "utf8" });
    assertEquals(printed.slice(0, 64), sha256);
  }
});
