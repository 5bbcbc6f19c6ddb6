import { jsonString } from "../json_text.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";

/** The good answer of POST /oauth/token (Decision D17). */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly tokenType: "Bearer";
  readonly expiresInSeconds: number;
}

/** The form of POST /oauth/token. */
export interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** RFC 6749 §5.2. */
export const OAUTH_ERROR_CODES = [
  "invalid_request",
  "invalid_client",
  "unsupported_grant_type",
  "temporarily_unavailable",
] as const;
export type OauthErrorCode = (typeof OAUTH_ERROR_CODES)[number];

/** The answer's wire form. */
export function tokenToJson(token: TokenAnswer): string {
  return `{"access_token":${jsonString(token.accessToken)},"token_type":"${token.tokenType}",` +
    `"expires_in":${token.expiresInSeconds}}`;
}

/** The wire form of a refused token request (RFC 6749 §5.2). */
export function oauthErrorToJson(error: OauthErrorCode, description: string): string {
  return `{"error":"${error}","error_description":${jsonString(description)}}`;
}

/** Reads what `tokenToJson` writes. Throws `WireFormatError`. */
export function tokenFromJson(value: JsonValue): TokenAnswer {
  const reader = new ResourceReader(value, "token");
  return {
    accessToken: reader.string("access_token"),
    tokenType: reader.oneOf("token_type", ["Bearer"]),
    expiresInSeconds: reader.integer("expires_in"),
  };
}

/** The request's wire form (RFC 6749 §4.4.2). */
export function tokenRequestToForm(request: TokenRequest): string {
  return `grant_type=client_credentials&client_id=${encodeURIComponent(request.clientId)}` +
    `&client_secret=${encodeURIComponent(request.clientSecret)}`;
}
