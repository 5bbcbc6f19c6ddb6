import { type Form, INTEGER, oneOf, STRING } from "../form.ts";
import { jsonString } from "../json_text.ts";
import { member, optional, record } from "../record_form.ts";

/** The scopes of tokens: to read, to quote and order, to withdraw (Decision D76). */
export const SCOPES = ["read", "trade", "withdraw"] as const;
/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** Writes scopes in their order, separated by blanks (RFC 6749 §3.3). */
export function formatScopes(scopes: Iterable<Scope>): string {
  const present = new Set(scopes);
  return SCOPES.filter((scope) => present.has(scope)).join(" ");
}

/** Reads scopes; undefined when the text is empty or contains anything else. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const names = new Set(text.split(" "));
  const scopes = SCOPES.filter((scope) => names.delete(scope));
  return names.size === 0 ? scopes : undefined;
}

/** The successful answer of POST /oauth/token (Decision D17). */
export interface TokenAnswer {
  /** The token to send after `Bearer`. */
  readonly accessToken: string;
  /** The scheme of the Authorization header. */
  readonly tokenType: "Bearer";
  /** The validity of the token. */
  readonly expiresInSeconds: number;
  /** Its scope, as `formatScopes` writes it; missing in services older than scopes. */
  readonly scope?: string;
}

/** The form of POST /oauth/token. */
export interface TokenRequest {
  /** The id of the partner. */
  readonly clientId: string;
  /** The client secret; empty for `tls_client_auth` (RFC 8705 §2.1). */
  readonly clientSecret: string;
}

/** The error codes of the token endpoint (RFC 6749 §5.2). */
export const OAUTH_ERROR_CODES = [
  "invalid_request",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "temporarily_unavailable",
] as const;
/** One of {@link OAUTH_ERROR_CODES}. */
export type OauthErrorCode = (typeof OAUTH_ERROR_CODES)[number];

/** The form of the successful answer of POST /oauth/token. */
export const TOKEN: Form<TokenAnswer> = record<TokenAnswer>("token", {
  accessToken: member("access_token", STRING, "A JWT (RFC 9068), bound to your certificate."),
  tokenType: member("token_type", oneOf(["Bearer"]), "The scheme of `Authorization`."),
  expiresInSeconds: member("expires_in", INTEGER, "Seconds for which it is valid."),
  scope: optional("scope", STRING, "What it allows: `read`, `trade`, `withdraw`."),
});

/** Writes the body of a refused token request (RFC 6749 §5.2). */
export function oauthErrorToJson(error: OauthErrorCode, description: string): string {
  return `{"error":"${error}","error_description":${jsonString(description)}}`;
}

/** Writes the form-encoded token request (RFC 6749 §4.4.2), without an empty secret. */
export function tokenRequestToForm(request: TokenRequest): string {
  const { clientId, clientSecret } = request;
  const secret = clientSecret === "" ? "" : `&client_secret=${encodeURIComponent(clientSecret)}`;
  return `grant_type=client_credentials&client_id=${encodeURIComponent(clientId)}${secret}`;
}
