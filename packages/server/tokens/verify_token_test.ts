import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { uuidV7 } from "@sabika/protocol";
import { SignJWT, UnsecuredJWT } from "jose";
import { testIssuer } from "../../../test/support/test_issuer.ts";
import { makeKeys } from "../../../test/support/test_keys.ts";
import { issueToken } from "./issue_token.ts";
import { verifyToken } from "./verify_token.ts";

const strangers = await makeKeys();
const HASH = "ab".repeat(32);
const THUMBPRINT = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s";
let nowMs = 1_795_167_000_500;
const { issuer, keys, publicJwk } = await testIssuer(() => nowMs);

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

/** Signs a token with changed claims and header, by default with our own key. */
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
  const cases = [
    [599_499, "ok"],
    [599_500, "token_expired"],
    [601_000, "token_expired"],
  ] as const;
  for (const [afterMs, code] of cases) {
    nowMs = startMs + afterMs;
    assertEquals(await codeFor(token), code, `${afterMs}`);
  }
  nowMs = startMs;
});

test("verifyToken() refuses other keys, algorithms, headers and claims than ours (F52)", async () => {
  const secret = new TextEncoder().encode(JSON.stringify(publicJwk));
  assertEquals(await codeFor(new UnsecuredJWT(CLAIMS).encode()), "token_invalid");
  assertEquals(await codeFor(await forge({}, { alg: "HS256" }, secret)), "token_invalid");
  assertEquals(await codeFor(await forge({}, {}, strangers.privateKey)), "token_invalid");
  const kids = [undefined, "../../etc/passwd", "k1' or '1'='1", "", "k2"];
  const headers = [
    ...kids.map((kid) => ({ kid })),
    { typ: "JWT" },
    { typ: undefined },
    { b64: true },
    { jwk: publicJwk },
    { jku: "https://evil.example" },
    { x5u: "https://evil.example" },
  ];
  for (const header of headers) {
    assertEquals(await codeFor(await forge({}, header)), "token_invalid", JSON.stringify(header));
  }
  const thumbprints = ["", [THUMBPRINT], THUMBPRINT.slice(1)];
  const bindings = [undefined, null, [], [THUMBPRINT], {}];
  const claimSets = [
    ...["aud", "sub", "jti", "env", "iat", "exp"].map((name) => ({ [name]: undefined })),
    ...[...bindings, ...thumbprints.map((text) => ({ "x5t#S256": text }))].map((cnf) => ({
      cnf,
    })),
    { iss: "https://other.test" },
    { aud: "https://other.test" },
    { exp: "1795167600" },
    { nbf: issuedAt + 61 },
  ];
  for (const claims of claimSets) {
    assertEquals(await codeFor(await forge(claims)), "token_invalid", JSON.stringify(claims));
  }
  assertEquals(await codeFor(await forge({ exp: issuedAt - 1 })), "token_expired");
  assertEquals(await codeFor(await forge({ env: "production" })), "environment_mismatch");
});

test("verifyToken() lets a token without the claim have every scope, and refuses unknown ones", async () => {
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
