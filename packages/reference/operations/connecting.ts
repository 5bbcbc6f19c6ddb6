import {
  ATTESTATION_KEYS,
  FORM_MEDIA_TYPE,
  HEALTH,
  LIMITS,
  ME,
  OAUTH_ERROR_CODES,
  RECEIPT_KEYS,
  SCOPES,
  type Shape,
  TOKEN,
  UNAVAILABLE,
} from "@sabika/protocol";
import { EXAMPLES } from "../examples.ts";
import { json, ok } from "../contents.ts";
import { objectShape, textShape } from "../object_shape.ts";
import { operation } from "../operation.ts";

const chapter = "Connecting";
const HTML = "text/html; charset=utf-8";

/** Makes the form-encoded body that a request must have. */
function form(shape: Shape, example: unknown) {
  return { mediaType: FORM_MEDIA_TYPE, shape, example, isRequired: true };
}

function textsShape(description: string): Shape {
  return { type: "array", items: { type: "string" }, description };
}

function requiredText(description: string): Shape {
  return { type: "string", minLength: 1, description };
}

const METADATA = objectShape("ServerMetadata", {
  issuer: textShape("The `iss` and `aud` of a token."),
  token_endpoint: textShape("The URL that issues tokens."),
  revocation_endpoint: textShape("The URL that revokes tokens."),
  jwks_uri: textShape("The URL of the keys of tokens."),
  response_types_supported: textsShape("None: there are no redirects."),
  grant_types_supported: textsShape("The grants for tokens."),
  token_endpoint_auth_methods_supported: textsShape("How a client authenticates."),
  scopes_supported: textsShape("The scopes of tokens."),
  revocation_endpoint_auth_methods_supported: textsShape("How a client authenticates to revoke."),
  mtls_endpoint_aliases: {
    type: "object",
    description: "The same endpoints, since all use mutual TLS (RFC 8705 §5).",
  },
  tls_client_certificate_bound_access_tokens: {
    type: "boolean",
    description: "A token is valid only with your certificate.",
  },
}, ["issuer", "token_endpoint", "jwks_uri", "response_types_supported"]);

const PUBLIC_KEY = objectShape("PublicKey", {
  kty: { const: "EC", description: "The kind of the key." },
  crv: { const: "P-256", description: "Its curve." },
  x: textShape("A coordinate of its point, in base64url."),
  y: textShape("The other coordinate, in base64url."),
  kid: textShape("Its `kid` in a token's header."),
  use: { const: "sig", description: "The key verifies signatures." },
  alg: { const: "ES256", description: "The algorithm of the signatures." },
});

const JWKS = objectShape("KeySet", {
  keys: {
    type: "array",
    description: "Public keys of access tokens (RFC 7517).",
    items: PUBLIC_KEY,
  },
});

const CLIENT_ID = requiredText("`client_id` of the kit.");
const CLIENT_SECRET = textShape(
  "`client_secret` of the kit. Left out where the operator lets your certificate alone " +
    "authenticate you (`tls_client_auth`).",
);

const TOKEN_REQUEST = objectShape("TokenRequest", {
  grant_type: { const: "client_credentials", description: "The only grant." },
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  scope: {
    type: "string",
    // A parameter without a value counts as omitted (RFC 6749 §3.2).
    pattern: `^((${SCOPES.join("|")})( (${SCOPES.join("|")}))*)?$`,
    description: "Some of your certificate's scopes, such as `read trade`. All of them when " +
      "left out.",
  },
}, ["grant_type", "client_id"]);

const REVOCATION_REQUEST = objectShape("RevocationRequest", {
  token: requiredText("The access token."),
  token_type_hint: textShape("Not needed: there is one kind of token."),
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
}, ["token", "client_id"]);

/** An error of the token endpoint (RFC 6749 §5.2). */
export const OAUTH_ERROR: Shape = objectShape("TokenError", {
  error: { type: "string", enum: OAUTH_ERROR_CODES, description: "For programs." },
  error_description: textShape("For people."),
});

/** The operations for tokens, health and signature tests. */
export const CONNECTING = {
  getHealth: operation("GET", "/health", "health", {
    chapter,
    summary: "Health of the service",
    description: "Shows that the connection is set up right and the service available.",
    replies: [ok("The service is available.", HEALTH.shape, EXAMPLES.health), {
      status: 503,
      description: "The database or price source is unavailable.",
      contents: [json(UNAVAILABLE.shape, EXAMPLES.unavailable)],
    }],
  }),
  createToken: operation("POST", "/oauth/token", "token", {
    chapter,
    summary: "Get an access token",
    description: "The client-credentials grant (RFC 6749 §4.4). The token is bound to the " +
      "certificate of the connection (RFC 8705), which must be one of the client's. Its scopes " +
      "are those that the operator gave that certificate, or those in `scope`.",
    request: form(TOKEN_REQUEST, {
      grant_type: "client_credentials",
      client_id: "demo",
      client_secret: "the secret of the kit",
    }),
    replies: [ok("A token, valid for ten minutes.", TOKEN.shape, EXAMPLES.token)],
    oauthErrors: [400, 401, 413, 429, 500, 503],
  }),
  revokeToken: operation("POST", "/oauth/revoke", "token", {
    chapter,
    summary: "Revoke an access token",
    description: "The token is refused from then on, within a second everywhere (RFC 7009). An " +
      "invalid token is answered in the same way.",
    request: form(REVOCATION_REQUEST, {
      token: "eyJ…",
      client_id: "demo",
      client_secret: "the secret of the kit",
    }),
    replies: [ok("The token is revoked.", { type: "object" }, {})],
    oauthErrors: [400, 401, 413, 429, 500, 503],
  }),
  getServerMetadata: operation("GET", "/.well-known/oauth-authorization-server", "documents", {
    chapter,
    summary: "Metadata of the authorization server",
    description: "The metadata that OAuth libraries read first (RFC 8414).",
    replies: [ok("The metadata.", METADATA, {
      issuer: "https://127.0.0.1:8443",
      token_endpoint: "https://127.0.0.1:8443/oauth/token",
      revocation_endpoint: "https://127.0.0.1:8443/oauth/revoke",
      jwks_uri: "https://127.0.0.1:8443/.well-known/jwks.json",
      response_types_supported: [],
      grant_types_supported: ["client_credentials"],
      scopes_supported: SCOPES,
      token_endpoint_auth_methods_supported: ["client_secret_post", "tls_client_auth"],
      revocation_endpoint_auth_methods_supported: ["client_secret_post", "tls_client_auth"],
      tls_client_certificate_bound_access_tokens: true,
      mtls_endpoint_aliases: {
        token_endpoint: "https://127.0.0.1:8443/oauth/token",
        revocation_endpoint: "https://127.0.0.1:8443/oauth/revoke",
      },
    })],
  }),
  getTokenKeys: operation("GET", "/.well-known/jwks.json", "documents", {
    chapter,
    summary: "Keys of access tokens",
    description: "The public keys that verify access tokens (RFC 7517).",
    replies: [ok("The keys.", JWKS, {
      keys: [{
        kty: "EC",
        crv: "P-256",
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        kid: "Zr1kFm0X5qvS0mWpH2o1c2mV7uZ8b0d3yQk9tJ4aL6E",
        use: "sig",
        alg: "ES256",
      }],
    })],
  }),
  getReceiptKeys: operation("GET", "/.well-known/sabika-receipt-keys.json", "documents", {
    chapter,
    summary: "Keys of receipts",
    description: "All public keys that ever signed receipts of orders, with their ends. None is " +
      "ever taken out. Keep a copy: with it receipts are verified without the service.",
    replies: [ok("The keys.", RECEIPT_KEYS.shape, {
      keys: [{
        kty: "EC",
        crv: "P-256",
        use: "sig",
        alg: "ES256",
        kid: "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s",
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        valid_from: "2026-11-25T06:00:00.000Z",
        valid_until: null,
      }],
    })],
  }),
  getAttestationKeys: operation("GET", "/.well-known/sabika-attestation-keys.json", "documents", {
    chapter,
    summary: "Keys of inspectors and auditors",
    description: "All public keys of outsiders that were ever registered, with their ends: an " +
      "inspector signs counts of bars, an auditor reserves. None is ever taken out.",
    replies: [ok("The keys.", ATTESTATION_KEYS.shape, {
      keys: [{
        kty: "EC",
        crv: "P-256",
        use: "sig",
        alg: "ES256",
        kid: "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        role: "inspector",
        holder: "Gulf Inspection",
        valid_from: "2026-11-25T06:00:00.000Z",
        valid_until: null,
      }],
    })],
  }),
  getOpenApi: operation("GET", "/openapi.json", "documents", {
    chapter,
    summary: "This description, for programs",
    description: "The OpenAPI 3.1 document, with this service's own address.",
    replies: [
      ok("The document.", { type: "object" }, { openapi: "3.1.0", info: { title: "Sabika" } }),
    ],
  }),
  getReference: operation("GET", "/docs", "documents", {
    chapter,
    summary: "This description, for people",
    description: "A page that needs no script and asks no other host for anything.",
    replies: [{
      status: 200,
      description: "The page.",
      contents: [{ mediaType: HTML, shape: { type: "string" }, example: "<!doctype html>…" }],
    }],
  }),
  getMe: operation("GET", "/v1/me", "read", {
    chapter,
    summary: "Your settings and credentials",
    description: "Your settings as the service knows them, and when your credentials end.",
    replies: [ok("Your settings.", ME.shape, EXAMPLES.me)],
  }),
  getLimits: operation("GET", "/v1/limits", "read", {
    chapter,
    summary: "Your limits",
    description: "The bounds of quotes and funding, and your rate limits.",
    replies: [ok("Your limits.", LIMITS.shape, EXAMPLES.limits)],
  }),
};
