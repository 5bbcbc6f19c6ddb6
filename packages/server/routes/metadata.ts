import { json, type Reply } from "../call/reply.ts";
import type { TokenKeys } from "../tokens/issue_token.ts";

/** GET /.well-known/oauth-authorization-server (RFC 8414; RFC 8705 §3.3; Decision D17). */
export function metadataRoute(baseUrl: string): () => Reply {
  const body = JSON.stringify({
    issuer: baseUrl,
    token_endpoint: `${baseUrl}/oauth/token`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_post"],
    tls_client_certificate_bound_access_tokens: true,
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
