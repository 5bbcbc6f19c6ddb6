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

test("a key has one id, as PEM, as JWK and in a certificate", async () => {
  const key = ecKey("P-256");
  const pem = await readSigningKey(publicOf(key));
  assert(pem.ok);
  const jwk = { ...pem.value.publicJwk, use: "sig", kid: "mine" };
  assertEquals(await readSigningKey(JSON.stringify(jwk)), pem);
  const folder = mkdtempSync(join(tmpdir(), "sabika-key-"));
  const file = join(folder, "key.pem");
  writeFileSync(file, key);
  const certificate = openssl(["req", "-x509", "-new", "-key", file, "-subj", "/CN=x"]);
  rmSync(folder, { recursive: true });
  assertEquals(await readSigningKey(certificate), pem);
});

test("every key but a plain P-256 public key is refused, with the reason (F47)", async () => {
  const key = ecKey("P-256");
  const good = await readSigningKey(publicOf(key));
  assert(good.ok);
  const { publicJwk } = good.value;
  const jwk = (change: object) => JSON.stringify({ ...publicJwk, ...change });
  const cases: [string, string][] = [
    [publicOf(ecKey("secp256k1")), "P-256"],
    [publicOf(ecKey("P-256", "-pkeyopt", "ec_param_enc:explicit")), "P-256"],
    [publicOf(key, "-ec_conv_form", "compressed"), "compressed"],
    [publicOf(openssl(["genpkey", "-algorithm", "ED25519"])), "P-256"],
    [key, "private key"],
    ["", "not a public key"],
    ["{", "not a public key"],
    [jwk({ y: publicJwk.x }), "not on the curve"],
    [jwk({ x: publicJwk.x.slice(1) }), "not a public key"],
    [jwk({ kty: "RSA" }), "P-256"],
    [jwk({ d: publicJwk.x }), "private key"],
  ];
  for (const [text, reason] of cases) {
    const read = await readSigningKey(text);
    assertStringIncludes(read.ok ? "accepted" : read.detail ?? "", reason);
  }
});
