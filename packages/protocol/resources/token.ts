import { type Form, INTEGER, oneOf, STRING } from "../form.ts";
import { jsonString } from "../json_text.ts";
import { member, record } from "../record_form.ts";

/** The good answer of POST /oauth/token (Decision D17). */
export interface TokenAnswer {
  /** What goes behind `Bearer`. */
  readonly accessToken: string;
  /** How it is sent. */
  readonly tokenType: "Bearer";
  /** How long it lives. */
  readonly expiresInSeconds: number;
}

/** The form of POST /oauth/token. */
export interface TokenRequest {
  /** The id of the partner. */
  readonly clientId: string;
  /** What tokens are fetched with. */
  readonly clientSecret: string;
}

/** RFC 6749 §5.2. */
export const OAUTH_ERROR_CODES = [
  "invalid_request",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "temporarily_unavailable",
] as const;
/** One of {@link OAUTH_ERROR_CODES}. */
export type OauthErrorCode = (typeof OAUTH_ERROR_CODES)[number];

/** The form of the good answer of POST /oauth/token. */
export const TOKEN: Form<TokenAnswer> = record<TokenAnswer>("token", {
  accessToken: member("access_token", STRING, "A JWT (RFC 9068), bound to your certificate."),
  tokenType: member("token_type", oneOf(["Bearer"]), "How it is sent."),
  expiresInSeconds: member("expires_in", INTEGER, "Seconds that it is good for."),
});

/** The wire form of a refused token request (RFC 6749 §5.2). */
export function oauthErrorToJson(error: OauthErrorCode, description: string): string {
  return `{"error":"${error}","error_description":${jsonString(description)}}`;
}

/** The request's wire form (RFC 6749 §4.4.2). */
export function tokenRequestToForm(request: TokenRequest): string {
  return `grant_type=client_credentials&client_id=${encodeURIComponent(request.clientId)}` +
    `&client_secret=${encodeURIComponent(request.clientSecret)}`;
}
