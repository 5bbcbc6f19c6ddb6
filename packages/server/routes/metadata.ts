import { TOKEN_AUTHS } from "@sabika/terms";
import { ATTESTATION_KEYS, type AttestationKey, RECEIPT_KEYS, SCOPES } from "@sabika/protocol";
import type { PublishedKeys } from "@sabika/service/receipts";
import { json, type Reply } from "../call/reply.ts";
import type { TokenKeys } from "../tokens/issue_token.ts";

/** GET /.well-known/oauth-authorization-server (RFC 8414; RFC 8705 §3.3, §5; Decisions D17, D76). */
export function metadataRoute(baseUrl: string): () => Reply {
  const endpoints = {
    token_endpoint: `${baseUrl}/oauth/token`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
  };
  const body = JSON.stringify({
    issuer: baseUrl,
    ...endpoints,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: ["client_credentials"],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported: TOKEN_AUTHS,
    revocation_endpoint_auth_methods_supported: TOKEN_AUTHS,
    tls_client_certificate_bound_access_tokens: true,
    // All endpoints use mutual TLS at the same addresses (RFC 8705 §5).
    mtls_endpoint_aliases: endpoints,
  });
  return () => json(body);
}

/** GET /.well-known/jwks.json: the public keys of the access tokens (RFC 7517). */
export function jwksRoute(keys: TokenKeys): () => Reply {
  return () =>
    json(JSON.stringify({
      keys: keys.tokenKeys().map(({ keyId, publicJwk: { kty, crv, x, y } }) => ({
        kty,
        crv,
        x,
        y,
        kid: keyId,
        use: "sig",
        alg: "ES256",
      })),
    }));
}

/** GET /.well-known/sabika-receipt-keys.json: all keys that ever signed receipts (Decision D103). */
export function receiptKeysRoute(keys: PublishedKeys): () => Promise<Reply> {
  return async () => json(RECEIPT_KEYS.write(await keys()));
}

/** GET /.well-known/sabika-attestation-keys.json: all keys of inspectors and auditors (Decision D106). */
export function attestationKeysRoute(keys: PublishedKeys<AttestationKey>): () => Promise<Reply> {
  return async () => json(ATTESTATION_KEYS.write(await keys()));
}
