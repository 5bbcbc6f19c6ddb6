import { certificateThumbprintOf } from "./certificate_thumbprint.ts";
import { type Refusal, refuse } from "@sabika/protocol";
import type { Call, Check } from "../call.ts";
import type { TokenIssuer } from "../tokens/issue_token.ts";
import { TokenCache } from "../tokens/token_cache.ts";
import { type VerifiedToken, verifyToken } from "../tokens/verify_token.ts";

/** The bearer token is ours, still valid, and bound to this connection's certificate. */
export function bearerTokenCheck(issuer: Omit<TokenIssuer, "random">, capacity = 10_000): Check {
  const cache = new TokenCache(capacity);
  return (call: Call) => {
    const authorization = call.header("authorization");
    if (authorization === undefined) return challenged(refuse("token_missing"));
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined || token.length > TOKEN_MAX_LENGTH) {
      return challenged(refuse("token_invalid"));
    }
    const known = cache.get(token);
    if (known !== undefined) {
      const refusal = stillValid(issuer, call, known);
      if (refusal?.code === "token_expired") cache.delete(token);
      return refusal;
    }
    return verifyToken(issuer, token).then((verified) => {
      if (!verified.ok) return challenged(verified);
      cache.put(token, verified);
      return stillValid(issuer, call, verified);
    });
  };
}

/** What must hold on every request anew, however often the token has been seen. */
function stillValid(
  issuer: Omit<TokenIssuer, "random">,
  call: Call,
  token: VerifiedToken,
): Refusal | undefined {
  const nowMs = issuer.now();
  if (nowMs >= token.expiresAtMs) return challenged(refuse("token_expired"));
  if (issuer.keys.tokenKey(token.keyId, nowMs) === undefined) {
    return challenged(refuse("token_invalid"));
  }
  if (
    token.thumbprint !== certificateThumbprintOf(call) || token.clientId !== call.partner?.clientId
  ) return challenged(refuse("token_certificate_mismatch"));
  return undefined;
}

/** RFC 6750 §3: a 401 of a bearer check names the scheme, and the error when a token was sent. */
function challenged(refusal: Refusal): Refusal {
  if (refusal.code === "environment_mismatch") return refusal;
  const challenge = refusal.code === "token_missing"
    ? 'Bearer realm="sabika"'
    : 'Bearer realm="sabika", error="invalid_token"';
  return { ...refusal, headers: { ...refusal.headers, "www-authenticate": challenge } };
}

// The scheme's name is case-insensitive; a comma (two header lines joined) is no token character. A
// token is a compact JWS whose 64 bytes of signature are written in the one canonical way: else a
// partner could write its one token in thousands of ways, and push the others' out of the cache.
const BEARER =
  /^[Bb][Ee][Aa][Rr][Ee][Rr] ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw])$/;
const TOKEN_MAX_LENGTH = 4096;
