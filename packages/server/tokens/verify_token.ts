import { parseScopes, type Refusal, refuse, type Scope, SCOPES } from "@sabika/protocol";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import type { TokenIssuer } from "./issue_token.ts";

/** The content of a verified access token that later requests need. */
export interface VerifiedToken {
  readonly ok: true;
  readonly keyId: string;
  /** Its `jti`, a UUID. */
  readonly tokenId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** `cnf["x5t#S256"]`: the base64url SHA-256 of the certificate it is bound to. */
  readonly thumbprint: string;
  readonly expiresAtMs: number;
}

/**
 * Verifies an access token without the request: key, form, issuer, audience, environment, binding present,
 * not expired. Whether it belongs to the caller is checked on every request, outside any cache.
 *
 * @returns the token's content, or `token_invalid`, `token_expired` or `environment_mismatch`
 * @see RFC 9068 §4; Decisions D17 and D40
 */
export async function verifyToken(
  issuer: Omit<TokenIssuer, "random">,
  token: string,
): Promise<VerifiedToken | Refusal> {
  const nowMs = issuer.now();
  let keyId = "";
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, (header) => {
      // Only our own keys: nothing in the token can name another.
      const key = typeof header.kid === "string"
        ? issuer.keys.tokenKey(header.kid, nowMs)
        : undefined;
      const isKnownHeader = Object.keys(header).every((member) => HEADER_MEMBERS.has(member));
      if (key === undefined || !isKnownHeader) throw new errors.JWSSignatureVerificationFailed();
      keyId = key.keyId;
      return key.publicKey;
    }, {
      algorithms: ["ES256"],
      typ: "at+jwt",
      issuer: issuer.baseUrl,
      audience: issuer.baseUrl,
      requiredClaims: ["iss", "aud", "sub", "iat", "exp", "jti", "env", "cnf"],
      clockTolerance: 0,
      currentDate: new Date(nowMs),
    }));
  } catch (error) {
    if (error instanceof errors.JWTExpired) return refuse("token_expired");
    return isOfOtherEnvironment(token, issuer.environment)
      ? refuse("environment_mismatch")
      : refuse("token_invalid");
  }
  if (payload.env !== issuer.environment) return refuse("environment_mismatch");
  const cnf = payload.cnf as { "x5t#S256"?: unknown } | null;
  const thumbprint = typeof cnf === "object" && cnf !== null ? cnf["x5t#S256"] : undefined;
  const scopes = scopesOf(payload);
  if (
    typeof payload.sub !== "string" || typeof payload.jti !== "string" || scopes === undefined ||
    typeof payload.exp !== "number" ||
    typeof thumbprint !== "string" || !THUMBPRINT.test(thumbprint)
  ) return refuse("token_invalid");
  return {
    ok: true,
    keyId,
    tokenId: payload.jti,
    clientId: payload.sub,
    scopes,
    thumbprint,
    expiresAtMs: payload.exp * 1000,
  };
}

/** The scopes of a token (RFC 9068 §2.2.3); a token without the claim allows all. */
function scopesOf({ scope }: JWTPayload): readonly Scope[] | undefined {
  if (scope === undefined) return SCOPES;
  return typeof scope === "string" ? parseScopes(scope) : undefined;
}

/** Reads the token unverified, only to name the reason for a refusal that is already certain. */
function isOfOtherEnvironment(token: string, environment: string): boolean {
  try {
    const { env } = decodeJwt(token);
    return (env === "sandbox" || env === "production") && env !== environment;
  } catch {
    return false;
  }
}

const HEADER_MEMBERS: ReadonlySet<string> = new Set(["alg", "typ", "kid"]);
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;
