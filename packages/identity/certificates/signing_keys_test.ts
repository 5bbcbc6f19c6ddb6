import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readSigningKey } from "./signing_keys.ts";

const openssl = (args: string[], input = "") =>
  execFileSync("openssl", args, { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
const ecKey = (curve: string, ...more: string[]) =>
  openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:${curve}`, ...more]);
const publicOf = (key: string, ...more: string[]) => openssl(["pkey", "-pubout", ...more], key);
const message = async (text: string) => {
  const read = await readSigningKey(text);
  return read.ok ? "accepted" : read.detail;
};

test("one key has the same id as PEM, as JWK and in a certificate", async () => {
  const key = ecKey("P-256");
  const pem = await readSigningKey(publicOf(key));
  assert(pem.ok);
  const jwk = await readSigningKey(
    JSON.stringify({ ...pem.value.publicJwk, use: "sig", kid: "mine" }),
  );
  assertEquals(jwk, pem);
  const folder = mkdtempSync(join(tmpdir(), "sabika-key-"));
  const file = join(folder, "key.pem");
  writeFileSync(file, key);
  const certificate = openssl(["req", "-x509", "-new", "-key", file, "-subj", "/CN=x"]);
  rmSync(folder, { recursive: true });
  assertEquals(await readSigningKey(certificate), pem);
});

test("the key id is the RFC 7638 thumbprint", async () => {
  // The EC key of RFC 7517 appendix A.1; its thumbprint is computed by jose as well.
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
  };
  const { calculateJwkThumbprint } = await import("jose");
  const read = await readSigningKey(JSON.stringify(jwk));
  assert(read.ok);
  assertEquals(read.value.keyId, await calculateJwkThumbprint(jwk));
});

test("every key but a plain P-256 public key is refused (F47)", async () => {
  const key = ecKey("P-256");
  const cases: [string, string][] = [
    [publicOf(ecKey("P-384")), "P-256"],
    [publicOf(ecKey("secp256k1")), "P-256"],
    [publicOf(ecKey("P-256", "-pkeyopt", "ec_param_enc:explicit")), "P-256"],
    [publicOf(key, "-ec_conv_form", "compressed"), "compressed"],
    [
      publicOf(openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"])),
      "P-256",
    ],
    [publicOf(openssl(["genpkey", "-algorithm", "ED25519"])), "P-256"],
    [key, "private key"],
    [openssl(["ec", "-outform", "PEM"], key), "private key"],
    ["", "not a public key"],
    ["-----BEGIN PUBLIC KEY-----\n!!!!\n-----END PUBLIC KEY-----", "not a public key"],
    ["{", "not a public key"],
  ];
  for (const [text, reason] of cases) assertStringIncludes(await message(text), reason);
});

test("off-curve points, infinity, wrong lengths and private members in a JWK are refused (F47)", async () => {
  const read = await readSigningKey(publicOf(ecKey("P-256")));
  assert(read.ok);
  const good = read.value.publicJwk;
  const zero = "A".repeat(43);
  const cases: [Record<string, unknown>, string][] = [
    [{ ...good, y: good.x }, "not on the curve"],
    [{ ...good, x: zero, y: zero }, "not on the curve"],
    // x + p is the same point modulo p, but not a valid coordinate.
    [{ ...good, x: "_".repeat(42) + "8" }, "not on the curve"],
    [{ ...good, x: good.x.slice(1) }, "not a public key"],
    [{ ...good, x: `${good.x}=` }, "not a public key"],
    [{ ...good, x: undefined }, "not a public key"],
    [{ ...good, crv: "P-384" }, "P-256"],
    [{ ...good, kty: "RSA" }, "P-256"],
    [{ ...good, d: zero }, "private key"],
  ];
  for (const [jwk, reason] of cases) {
    assertStringIncludes(await message(JSON.stringify(jwk)), reason);
  }
});

test("an off-curve point in PEM is refused (F47)", async () => {
  const pem = publicOf(ecKey("P-256"));
  const der = Uint8Array.from(atob(pem.replace(/-----.*-----|\s/g, "")), (c) => c.charCodeAt(0));
  der[der.length - 1]! ^= 1;
  const bad = `-----BEGIN PUBLIC KEY-----\n${
    btoa(String.fromCharCode(...der))
  }\n-----END PUBLIC KEY-----`;
  assertStringIncludes(await message(bad), "not on the curve");
});
