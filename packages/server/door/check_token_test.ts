/** The token's checks one by one, without a service: what costs a verification, and what does not. */
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { testIssuer } from "../../../test/support/test_issuer.ts";
import { issueToken } from "../tokens/issue_token.ts";
import { verifyToken } from "../tokens/verify_token.ts";
import { bearerTokenCheck, sameTokenCheck } from "./bearer_token.ts";

const hashHex = "ab".repeat(32);
const { issuer } = await testIssuer(() => 1_000_000);
const token = await issueToken(issuer, "bank-a", hashHex, ["read"]);

/** A call of bank-a, with what a check needs of it. */
const callWith = (parts: object) => ({
  ok: true,
  certificate: { hashHex },
  partner: { clientId: "bank-a" },
  peer: { certificateHash: hashHex },
  ...parts,
});

/** Checks an Authorization header; returns the code and detail, and how many tokens were verified for it. */
async function checked(authorization: string | undefined, keys = issuer.keys) {
  let verifications = 0;
  const budget = {
    spend<T>(_hash: string, verify: () => Promise<T>) {
      verifications++;
      return verify();
    },
  };
  const check = bearerTokenCheck(
    { ...issuer, keys },
    budget as Parameters<typeof bearerTokenCheck>[1],
  );
  const call = callWith({ header: () => authorization });
  const result = await check(call as unknown as Parameters<typeof check>[0]);
  if (result.ok) return ["ok", result.token.clientId, verifications];
  assert(result.headers?.["www-authenticate"]?.startsWith('Bearer realm="sabika"'));
  return [result.code, result.detail, verifications];
}

test("a token is verified only if the header is exactly Bearer and a token that is not too long", async () => {
  assertEquals(await checked(undefined), ["token_missing", undefined, 0]);
  assertEquals(await checked(`bEARER ${token}`), ["ok", "bank-a", 1]);
  for (const wrong of [`x Bearer ${token}`, `Bearer ${token}, x`, `Bearer  ${token}`, "Bearer x"]) {
    assertEquals(await checked(wrong), ["token_invalid", undefined, 0], wrong);
  }
  const [header, , signature] = token.split(".");
  const long = (length: number) =>
    `Bearer ${header}.${"x".repeat(length - header!.length - signature!.length - 2)}.${signature}`;
  assertEquals(await checked(long(4096)), ["token_invalid", undefined, 1]);
  assertEquals(await checked(long(4097)), ["token_invalid", undefined, 0]);
});

test("whoever sends Basic is told that it has to be Bearer", async () => {
  const detail =
    "Authorization names Basic: it has to be Bearer, with a token from POST /oauth/token.";
  for (const basic of ["Basic YTpi", "BASIC"]) {
    assertEquals(await checked(basic), ["token_invalid", detail, 0]);
  }
  for (const other of ["Basically YTpi", "x basic YTpi"]) {
    assertEquals(await checked(other), ["token_invalid", undefined, 0]);
  }
});

test("a token that was revoked, or whose key has ended since, is refused at every call", async () => {
  const verified = await verifyToken(issuer, token);
  assert(verified.ok);
  const codeOf = (
    keys: Partial<typeof issuer.keys>,
    held: typeof verified | null = verified,
  ) => {
    const check = sameTokenCheck({ ...issuer, keys: { ...issuer.keys, ...keys } });
    const call = callWith({ token: held ?? undefined });
    const result = check(call as unknown as Parameters<typeof check>[0]);
    return result.ok ? result.token === verified : [result.code, result.detail];
  };
  assertEquals(codeOf({}), true);
  assertEquals(codeOf({ isTokenRevoked: () => true }), ["token_invalid", "The token was revoked."]);
  assertEquals(codeOf({ tokenKey: () => undefined }), ["token_invalid", undefined]);
  assertEquals(codeOf({}, null), ["token_missing", undefined]);
});
