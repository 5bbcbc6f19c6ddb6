import type { Register } from "@sabika/service/partners";
import {
  ACCESS_TOKEN_SECONDS,
  type Environment,
  formatScopes,
  hexToThumbprint,
  type Scope,
  uuidV7,
} from "@sabika/protocol";
import { SignJWT } from "jose";

/** The keys of the access tokens; during a rotation several verify. */
export type TokenKeys = Pick<
  Register,
  "signingTokenKey" | "tokenKey" | "tokenKeys" | "isTokenRevoked"
>;

/** The issuer of access tokens, with its keys. */
export interface TokenIssuer {
  /** The base URL, which is both issuer and audience (Decision D17). */
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly keys: TokenKeys;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Makes an access token valid for 600 seconds, bound to the certificate of the connection that
 * requested it (Spec §5 Token; RFC 8705 §3.1; RFC 9068; Decision D17).
 *
 * @param certificateHash lower-case hex SHA-256 of that certificate
 * @throws {Error} when the register has no key to sign with
 */
export async function issueToken(
  issuer: TokenIssuer,
  clientId: string,
  certificateHash: string,
  scopes: readonly Scope[],
): Promise<string> {
  const nowMs = issuer.now();
  const key = issuer.keys.signingTokenKey(nowMs);
  if (key === undefined) {
    throw new Error("there is no token key; run the migrations and the set-up");
  }
  const { keyId, privateKey } = key;
  const issuedAt = Math.floor(nowMs / 1000);
  return await new SignJWT({
    env: issuer.environment,
    client_id: clientId,
    scope: formatScopes(scopes),
    cnf: { "x5t#S256": hexToThumbprint(certificateHash) },
  })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: keyId })
    .setIssuer(issuer.baseUrl)
    .setAudience(issuer.baseUrl)
    .setSubject(clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .setJti(uuidV7(nowMs, issuer.random))
    .sign(privateKey);
}
