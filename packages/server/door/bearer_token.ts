import { type Refusal, refuse, STATUS_OF } from "@sabika/protocol";
import type {
  AdmittedCall,
  Authenticated,
  AuthenticatedCall,
  Before,
  Counted,
} from "../call/findings.ts";
import type { TokenIssuer } from "../tokens/issue_token.ts";
import { TokenCache } from "../tokens/token_cache.ts";
import { type VerifiedToken, verifyToken } from "../tokens/verify_token.ts";
import { certificateThumbprint } from "./certificate_thumbprint.ts";
import type { Checked } from "./door.ts";
import type { FailureBudget } from "./failure_budget.ts";

type UncountedCall = AdmittedCall & Before<Counted>;

/**
 * Checks that the bearer token is ours, still valid, and bound to this connection's certificate.
 *
 * @param budget pays for each token that has not been verified before
 */
export function bearerTokenCheck(issuer: Omit<TokenIssuer, "random">, budget: FailureBudget) {
  const cache = new TokenCache();
  return (
    call: UncountedCall,
  ): Checked<AuthenticatedCall> | Promise<Checked<AuthenticatedCall>> => {
    const authorization = call.header("authorization");
    if (authorization === undefined) return challenged(refuse("token_missing"));
    const token = BEARER.exec(authorization)?.[1];
    if (BASIC.test(authorization)) return challenged(refuse("token_invalid", NOT_BASIC));
    if (token === undefined || token.length > TOKEN_MAX_LENGTH) {
      return challenged(refuse("token_invalid"));
    }
    const known = cache.get(token);
    // An expired token stays in the cache, so that it is not verified again however often it comes.
    if (known !== undefined) return stillValid(issuer, call, known);
    const { certificateHash } = call.peer;
    return budget.spend(certificateHash, () => verifyToken(issuer, token)).then((verified) => {
      if (!verified.ok) return challenged(verified);
      cache.put(token, verified);
      return stillValid(issuer, call, verified);
    });
  };
}

/** Checks that a connected caller's token is still valid, and bound to the same certificate. */
export function sameTokenCheck(issuer: Omit<TokenIssuer, "random">) {
  return (call: AdmittedCall & Partial<Authenticated>): Checked<AuthenticatedCall> =>
    call.token === undefined ? refuse("token_missing") : stillValid(issuer, call, call.token);
}

/** The checks that are repeated for every request, however often the token has been seen. */
function stillValid(
  issuer: Omit<TokenIssuer, "random">,
  call: AdmittedCall,
  token: VerifiedToken,
): Checked<AuthenticatedCall> {
  const nowMs = issuer.now();
  if (nowMs >= token.expiresAtMs) return challenged(refuse("token_expired"));
  if (issuer.keys.tokenKey(token.keyId, nowMs) === undefined) {
    return challenged(refuse("token_invalid"));
  }
  if (issuer.keys.isTokenRevoked(token.tokenId)) {
    return challenged(refuse("token_invalid", "The token was revoked."));
  }
  if (
    token.thumbprint !== certificateThumbprint(call.certificate) ||
    token.clientId !== call.partner.clientId
  ) return challenged(refuse("token_certificate_mismatch"));
  return Object.assign(call, { token });
}

/** Adds to a 401 the challenge of RFC 6750 §3: the scheme, and the error if a token was sent. */
export function challenged(refusal: Refusal): Refusal {
  if (STATUS_OF[refusal.code] !== 401) return refusal;
  const challenge = refusal.code === "token_missing"
    ? 'Bearer realm="sabika"'
    : 'Bearer realm="sabika", error="invalid_token"';
  return { ...refusal, headers: { ...refusal.headers, "www-authenticate": challenge } };
}

// The scheme's name is case-insensitive; a comma (two header lines joined) is not part of a token. A
// token is a compact JWS whose 64-byte signature has one canonical spelling: otherwise a partner
// could write one token in thousands of ways and push those of others out of the cache.
const BEARER =
  /^[Bb][Ee][Aa][Rr][Ee][Rr] ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw])$/;
const BASIC = /^basic(?: |$)/i;
const NOT_BASIC =
  "Authorization names Basic: it has to be Bearer, with a token from POST /oauth/token.";
const TOKEN_MAX_LENGTH = 4096;
