import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { TokenKey } from "@sabika/identity/tokens";
import { uuidV7 } from "@sabika/protocol";
import { SignJWT, UnsecuredJWT } from "jose";
import { issueToken, type TokenIssuer } from "./issue_token.ts";
import { verifyToken } from "./verify_token.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const keys = await crypto.subtle.generateKey(P256, true, ["sign", "verify"]);
const strangers = await crypto.subtle.generateKey(P256, true, ["sign", "verify"]);
const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", keys.publicKey);
const publicJwk = { crv, kty, x, y } as TokenKey["publicJwk"];
const key: TokenKey = { keyId: "k1", publicJwk, ...keys, validFromMs: 0, validUntilMs: null };

const HASH = "ab".repeat(32);
const THUMBPRINT = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s";
let nowMs = 1_795_167_000_500;
const issuer: TokenIssuer = {
  baseUrl: "https://sabika.test",
  environment: "sandbox",
  keys: {
    signingTokenKey: () => key,
    tokenKey: (keyId) => keyId === "k1" ? key : undefined,
    tokenKeys: () => [key],
    isTokenRevoked: () => false,
  },
  now: () => nowMs,
  random: (length) => new Uint8Array(length),
};

const issuedAt = Math.floor(nowMs / 1000);
const CLAIMS = {
  iss: "https://sabika.test",
  aud: "https://sabika.test",
  sub: "bank-a",
  env: "sandbox",
  iat: issuedAt,
  exp: issuedAt + 600,
  jti: "j1",
  cnf: { "x5t#S256": THUMBPRINT },
};
const HEADER = { alg: "ES256", typ: "at+jwt", kid: "k1" };

/** A token of our own key, otherwise as a forger likes it. */
function forge(
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  privateKey: CryptoKey | Uint8Array = keys.privateKey,
): Promise<string> {
  return new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader(
    { ...HEADER, ...header } as typeof HEADER,
  ).sign(privateKey);
}

async function codeFor(token: string): Promise<string> {
  const verified = await verifyToken(issuer, token);
  return verified.ok ? "ok" : verified.code;
}

test("verifyToken() accepts what issueToken() makes, and reads it", async () => {
  const token = await issueToken(issuer, "bank-a", HASH, ["trade"]);
  assertEquals(await verifyToken(issuer, token), {
    ok: true,
    keyId: "k1",
    tokenId: uuidV7(nowMs, issuer.random),
    clientId: "bank-a",
    scopes: ["trade"],
    thumbprint: THUMBPRINT,
    expiresAtMs: (issuedAt + 600) * 1000,
  });
});

test("verifyToken() refuses a token from its 600th second on", async () => {
  const token = await issueToken(issuer, "bank-a", HASH, ["trade"]);
  const startMs = nowMs;
  for (
    const [afterMs, code] of [[599_000, "ok"], [599_499, "ok"], [599_500, "token_expired"], [
      601_000,
      "token_expired",
    ]] as const
  ) {
    nowMs = startMs + afterMs;
    assertEquals(await codeFor(token), code, `${afterMs}`);
  }
  nowMs = startMs;
});

test("verifyToken() refuses other keys and algorithms (F52)", async () => {
  const secret = new TextEncoder().encode(JSON.stringify(publicJwk));
  assertEquals(await codeFor(new UnsecuredJWT(CLAIMS).encode()), "token_invalid");
  assertEquals(await codeFor(await forge({}, { alg: "HS256" }, secret)), "token_invalid");
  assertEquals(await codeFor(await forge({}, {}, strangers.privateKey)), "token_invalid");
  for (const kid of ["../../etc/passwd", "k1' or '1'='1", "", "k2"]) {
    assertEquals(await codeFor(await forge({}, { kid })), "token_invalid", kid);
  }
  assertEquals(await codeFor(await forge({}, { kid: undefined })), "token_invalid");
});

test("verifyToken() refuses other headers than alg, typ and kid (F52)", async () => {
  for (
    const header of [
      { typ: "JWT" },
      { typ: undefined },
      { b64: true },
      { jku: "https://evil.example" },
      { jwk: publicJwk },
      { x5u: "https://evil.example" },
    ]
  ) assertEquals(await codeFor(await forge({}, header)), "token_invalid", JSON.stringify(header));
});

test("verifyToken() refuses claims that are not exactly ours (F52)", async () => {
  const changes: Record<string, unknown>[] = [
    { iss: "https://other.test" },
    { aud: "https://other.test" },
    { aud: undefined },
    { sub: undefined },
    { jti: undefined },
    { env: undefined },
    { iat: undefined },
    { exp: undefined },
    { exp: "1795167600" },
    { nbf: issuedAt + 61 },
    { cnf: undefined },
    { cnf: null },
    { cnf: [] },
    { cnf: [THUMBPRINT] },
    { cnf: {} },
    { cnf: { "x5t#S256": "" } },
    { cnf: { "x5t#S256": [THUMBPRINT] } },
    { cnf: { "x5t#S256": THUMBPRINT.slice(1) } },
  ];
  for (const change of changes) {
    assertEquals(await codeFor(await forge(change)), "token_invalid", JSON.stringify(change));
  }
  assertEquals(await codeFor(await forge({ exp: issuedAt - 1 })), "token_expired");
  assertEquals(await codeFor(await forge({ env: "production" })), "environment_mismatch");
});

test("verifyToken() takes a token without scope for one of before, and no unknown scope", async () => {
  const scopesOf = async (claims: Record<string, unknown>) => {
    const verified = await verifyToken(issuer, await forge(claims));
    return verified.ok ? verified.scopes.join(" ") : verified.code;
  };
  assertEquals(await scopesOf({}), "read trade withdraw");
  assertEquals(await scopesOf({ scope: "withdraw read" }), "read withdraw");
  for (const scope of ["", "admin", "read admin", "read  trade", "READ", ["read"], null, 7]) {
    assertEquals(await scopesOf({ scope }), "token_invalid", JSON.stringify(scope));
  }
});

test("verifyToken() refuses text that is no token", async () => {
  for (const text of ["", "a", "a.b", "a.b.c", ".".repeat(2), "e30.e30.e30", "x".repeat(8192)]) {
    assertEquals(await codeFor(text), "token_invalid", text.slice(0, 10));
  }
  const token = await issueToken(issuer, "bank-a", HASH, ["trade"]);
  assertEquals(await codeFor(`${token.slice(0, -2)}AA`), "token_invalid");
});
