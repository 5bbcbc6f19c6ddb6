import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { calculateJwkThumbprint } from "jose";
import {
  decodePem,
  encodeBase64,
  encodeBase64Url,
  importPrivatePem,
  importPrivatePkcs8,
  importPublicJwk,
  importPublicPem,
  importPublicSpki,
  type KeyErrorCode,
  type KeyImport,
  publicJwk,
  signDetached,
  thumbprint,
  verifyDetached,
} from "./mod.ts";
import { makeKeys } from "../../test/support/test_keys.ts";

function openssl(input: string, ...args: string[]): string {
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  return execFileSync("openssl", args, { input, encoding: "utf8", stdio });
}

const ec = (curve: string, ...more: string[]): string =>
  openssl("", "genpkey", "-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:${curve}`, ...more);
const publicOf = (privatePem: string, ...more: string[]): string =>
  openssl(privatePem, "pkey", "-pubout", ...more);

const P256 = ec("P-256");
const EXPLICIT = ec("P-256", "-pkeyopt", "ec_param_enc:explicit");
const RSA = openssl("", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048");
const ED25519 = openssl("", "genpkey", "-algorithm", "ED25519");
const SPKI = decodePem(publicOf(P256))!.bytes;
const SPKI_HEAD = SPKI.slice(0, 27);

function codeOf(imported: KeyImport): KeyErrorCode | undefined {
  return imported.ok ? undefined : imported.code;
}

test("a P-256 key of openssl is imported from PEM, SPKI, JWK and PKCS #8, and the four match", async () => {
  const privateKey = await importPrivatePem(P256);
  const pem = await importPublicPem(publicOf(P256));
  const spki = await importPublicSpki(SPKI);
  assert(privateKey.ok && pem.ok && spki.ok);
  const jwk = await importPublicJwk(await publicJwk(pem.key));
  assert(jwk.ok);
  const jws = await signDetached("payload", privateKey.key);
  for (const { key } of [pem, spki, jwk]) {
    assertEquals(await verifyDetached(jws, "payload", key), { ok: true, keyId: undefined });
  }
});

test("PEM may have CR LF line ends and blanks around it", async () => {
  assert((await importPublicPem(`\n${publicOf(P256).replaceAll("\n", "\r\n")}\n\n`)).ok);
});

test("a private key that was imported cannot be exported", async () => {
  const imported = await importPrivatePem(P256);
  assert(imported.ok);
  assertEquals([imported.key.extractable, imported.key.usages], [false, ["sign"]]);
});

test("thumbprint() agrees with jose, for a public and for a private key", async () => {
  const { privateKey, publicKey } = await makeKeys();
  const expected = await calculateJwkThumbprint(await crypto.subtle.exportKey("jwk", publicKey));
  assertEquals(await thumbprint(await publicJwk(publicKey)), expected);
  assertEquals(await thumbprint(await crypto.subtle.exportKey("jwk", privateKey)), expected);
});

/** Makes a SubjectPublicKeyInfo that names P-256 and has these bytes as its point. */
function spkiWithPoint(point: Uint8Array): Uint8Array {
  const algorithm = SPKI.slice(2, 23);
  const bits = [0x03, point.length + 1, 0, ...point];
  return Uint8Array.of(0x30, algorithm.length + bits.length, ...algorithm, ...bits);
}

/** Makes the key's SubjectPublicKeyInfo with these bytes after the OID of EC keys in its algorithm. */
function spkiWithAlgorithm(...after: number[]): Uint8Array {
  const algorithm = [...SPKI.slice(4, 13), ...after];
  const body = [0x30, algorithm.length, ...algorithm, ...SPKI.slice(23)];
  return Uint8Array.of(0x30, body.length, ...body);
}
const NAMED = [...SPKI.slice(13, 23)];
const P256_OID = NAMED.slice(2);

const offCurve = SPKI.slice(27);
offCurve[63]! ^= 1;
const beyondField = new Uint8Array(65).fill(0xff);
beyondField[0] = 4;
const atOrigin = new Uint8Array(65);
atOrigin[0] = 4;

// F47 of the fault catalogue.
const REFUSED_SPKI: Record<string, readonly [Uint8Array, KeyErrorCode]> = {
  "P-384": [decodePem(publicOf(ec("P-384")))!.bytes, "not_p256"],
  "secp256k1": [decodePem(publicOf(ec("secp256k1")))!.bytes, "not_p256"],
  "RSA": [decodePem(publicOf(RSA))!.bytes, "not_p256"],
  "Ed25519": [decodePem(publicOf(ED25519))!.bytes, "not_p256"],
  "explicit parameters, though they are those of P-256": [
    decodePem(publicOf(EXPLICIT))!.bytes,
    "explicit_parameters",
  ],
  "a compressed point": [
    decodePem(publicOf(P256, "-ec_conv_form", "compressed"))!.bytes,
    "compressed_point",
  ],
  "the point at infinity": [spkiWithPoint(Uint8Array.of(0)), "point_at_infinity"],
  "a point off the curve": [spkiWithPoint(Uint8Array.of(4, ...offCurve)), "not_on_curve"],
  "a point beyond the field": [spkiWithPoint(beyondField), "not_on_curve"],
  "x = y = 0": [spkiWithPoint(atOrigin), "not_on_curve"],
  "a point that is cut off": [spkiWithPoint(SPKI.slice(26, 90)), "not_a_key"],
  "a hybrid point": [spkiWithPoint(Uint8Array.of(6, ...SPKI.slice(27))), "not_a_key"],
  "no point": [spkiWithPoint(new Uint8Array()), "not_a_key"],
  "a private key in PKCS #8": [decodePem(P256)!.bytes, "private_key"],
  "nothing": [new Uint8Array(), "not_a_key"],
  "bytes after the key": [Uint8Array.of(...SPKI, 0), "not_a_key"],
  "a NULL after the curve": [spkiWithAlgorithm(...NAMED, 5, 0), "not_a_key"],
  "the curve twice": [spkiWithAlgorithm(...NAMED, ...NAMED), "not_a_key"],
  "an empty sequence after the curve": [spkiWithAlgorithm(...NAMED, 0x30, 0), "not_a_key"],
  "a byte after the curve": [spkiWithAlgorithm(...NAMED, 5), "not_a_key"],
  "NULL parameters": [spkiWithAlgorithm(5, 0), "not_p256"],
  "a NULL before the curve": [spkiWithAlgorithm(5, 0, ...NAMED), "not_p256"],
  "no parameters": [spkiWithAlgorithm(), "not_p256"],
  "specified parameters": [spkiWithAlgorithm(0x30, 3, 2, 1, 1), "explicit_parameters"],
  "a curve with a longer length": [
    spkiWithAlgorithm(6, 0x81, P256_OID.length, ...P256_OID),
    "not_a_key",
  ],
  "a curve with an indefinite length": [spkiWithAlgorithm(0x26, 0x80, ...NAMED, 0, 0), "not_a_key"],
  "a curve with a padded arc": [
    spkiWithAlgorithm(6, P256_OID.length + 1, ...P256_OID.slice(0, -1), 0x80, 7),
    "not_p256",
  ],
  "a longer length around all": [Uint8Array.of(0x30, 0x81, ...SPKI.slice(1)), "not_a_key"],
};
for (const [name, [der, code]] of Object.entries(REFUSED_SPKI)) {
  test(`importPublicSpki() refuses ${name}`, async () => {
    assertEquals(codeOf(await importPublicSpki(der)), code);
  });
}

test("importPublicSpki() refuses a key that is cut off anywhere", async () => {
  for (let length = 0; length < SPKI.length; length++) {
    assert(!(await importPublicSpki(SPKI.subarray(0, length))).ok, `${length} bytes`);
  }
});

test("importPublicSpki() refuses every changed or inserted byte before the point", async () => {
  const passed: string[] = [];
  for (let at = 0; at < SPKI_HEAD.length; at++) {
    for (let value = 0; value < 256; value++) {
      const changed = SPKI.slice();
      changed[at] = value;
      const longer = Uint8Array.of(...SPKI.slice(0, at), value, ...SPKI.slice(at));
      if (value !== SPKI[at] && (await importPublicSpki(changed)).ok) passed.push(`${at}=${value}`);
      if ((await importPublicSpki(longer)).ok) passed.push(`${at}+${value}`);
    }
  }
  assertEquals(passed, []);
});

const REFUSED_PEM: Record<string, readonly [string, KeyErrorCode]> = {
  "a private key": [P256, "private_key"],
  "a private key in SEC 1 form": [openssl(P256, "ec", "-outform", "PEM"), "private_key"],
  "a private RSA key": [RSA, "private_key"],
  "P-384": [publicOf(ec("P-384")), "not_p256"],
  "two keys": [publicOf(P256) + publicOf(P256), "not_a_key"],
  "the key's base64 alone": [encodeBase64(SPKI), "not_a_key"],
  "another label": [publicOf(P256).replaceAll("PUBLIC KEY", "CERTIFICATE"), "not_a_key"],
  "labels that differ": [publicOf(P256).replace("BEGIN PUBLIC KEY", "BEGIN X"), "not_a_key"],
  "text that is no PEM": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", "not_a_key"],
};
for (const [name, [pem, code]] of Object.entries(REFUSED_PEM)) {
  test(`importPublicPem() refuses ${name}`, async () => {
    assertEquals(codeOf(await importPublicPem(pem)), code);
  });
}

const x = encodeBase64Url(SPKI.slice(27, 59));
const y = encodeBase64Url(SPKI.slice(59));
const JWK = { kty: "EC", crv: "P-256", x, y };
const REFUSED_JWK: Record<string, readonly [unknown, KeyErrorCode]> = {
  "a private key": [{ ...JWK, d: x }, "private_key"],
  "a private key with d undefined": [{ ...JWK, d: undefined }, "private_key"],
  "a shared secret": [{ kty: "oct", k: x }, "private_key"],
  "RSA": [{ kty: "RSA", n: x, e: "AQAB" }, "not_p256"],
  "P-384": [{ ...JWK, crv: "P-384" }, "not_p256"],
  "an OKP key": [{ kty: "OKP", crv: "Ed25519", x }, "not_p256"],
  "a key for another algorithm": [{ ...JWK, alg: "ECDH-ES" }, "not_for_es256"],
  "a key for encryption": [{ ...JWK, use: "enc" }, "not_for_es256"],
  "a key that may not verify": [{ ...JWK, key_ops: ["sign"] }, "not_for_es256"],
  "a missing coordinate": [{ kty: "EC", crv: "P-256", x }, "not_a_key"],
  "a coordinate with padding": [{ ...JWK, x: `${x}=` }, "not_a_key"],
  "a short coordinate": [{ ...JWK, x: x.slice(0, 40) }, "not_a_key"],
  "a point off the curve": [{ ...JWK, x: y, y: x }, "not_on_curve"],
  "no kty": [{ crv: "P-256", x, y }, "not_a_key"],
  "a number": [7, "not_a_key"],
  "null": [null, "not_a_key"],
};
for (const [name, [jwk, code]] of Object.entries(REFUSED_JWK)) {
  test(`importPublicJwk() refuses ${name}`, async () => {
    assertEquals(codeOf(await importPublicJwk(jwk)), code);
  });
}

test("importPublicJwk() accepts members that say what the key is for", async () => {
  const jwk = { ...JWK, alg: "ES256", use: "sig", key_ops: ["verify"], kid: "any" };
  assert((await importPublicJwk(jwk)).ok);
});

const REFUSED_PRIVATE: Record<string, readonly [string, KeyErrorCode]> = {
  "a public key": [publicOf(P256), "public_key"],
  "P-384": [ec("P-384"), "not_p256"],
  "secp256k1": [ec("secp256k1"), "not_p256"],
  "RSA": [RSA, "not_p256"],
  "explicit parameters": [EXPLICIT, "explicit_parameters"],
  "SEC 1 form": [openssl(P256, "ec", "-outform", "PEM"), "not_a_key"],
  "an encrypted key": [openssl(P256, "pkcs8", "-topk8", "-passout", "pass:x"), "not_a_key"],
  "nothing": ["", "not_a_key"],
};
for (const [name, [pem, code]] of Object.entries(REFUSED_PRIVATE)) {
  test(`importPrivatePem() refuses ${name}`, async () => {
    assertEquals(codeOf(await importPrivatePem(pem)), code);
  });
}

test("importPrivatePkcs8() refuses a public key and a broken one", async () => {
  assertEquals(codeOf(await importPrivatePkcs8(SPKI)), "public_key");
  const broken = decodePem(P256)!.bytes.slice(0, 40);
  broken[1] = 38;
  assertEquals(codeOf(await importPrivatePkcs8(broken)), "not_a_key");
});
