import type { PartnerRecord } from "@sabika/core/partners";
import {
  ACCESS_TOKEN_SECONDS,
  FORM_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  type OauthErrorCode,
  oauthErrorToJson,
  type Refusal,
  TITLE_OF,
  TOKEN,
} from "@sabika/protocol";
import type { AdmittedCall, Counted, Read } from "../call/findings.ts";
import { isMediaType } from "../call/media_type.ts";
import { type Reply, reply } from "../call/reply.ts";
import { issueToken, type TokenIssuer } from "../tokens/issue_token.ts";
import { parseForm } from "../tokens/parse_form.ts";

export interface TokenParts {
  readonly issuer: TokenIssuer;
  /** Takes as long for an unknown partner as for a wrong secret (faults F56). */
  readonly matchesClientSecret: (
    partner: PartnerRecord | undefined,
    secret: string,
    nowMs: number,
  ) => Promise<boolean>;
}

/**
 * POST /oauth/token: the client-credentials grant, bound to the certificate (Spec §5 Token;
 * RFC 6749 §4.4; RFC 8705 §3; Decision D17).
 *
 * The caller's certificate must be an active one of the client that the form names.
 */
export function tokenRoute({ issuer, matchesClientSecret }: TokenParts) {
  return async (call: AdmittedCall & Counted & Read): Promise<Reply> => {
    const isForm = isMediaType(call.header("content-type"), FORM_MEDIA_TYPE);
    const form = isForm ? parseForm(call.body) : undefined;
    if (form === undefined) {
      return oauthError(
        "invalid_request",
        "The body must be a form, application/x-www-form-urlencoded.",
      );
    }
    const grantType = form.get("grant_type");
    const clientId = form.get("client_id");
    const clientSecret = form.get("client_secret");
    if (grantType === undefined) return oauthError("invalid_request", "grant_type is missing.");
    if (grantType !== "client_credentials") {
      return oauthError("unsupported_grant_type", "grant_type must be client_credentials.");
    }
    if (clientId === undefined) return oauthError("invalid_request", "client_id is missing.");
    if (clientSecret === undefined) {
      return oauthError("invalid_request", "client_secret is missing.");
    }
    const { partner, certificate } = call;
    const named = partner.clientId === clientId ? partner : undefined;
    const isRight = await matchesClientSecret(named, clientSecret, issuer.now());
    if (!isRight || named === undefined) {
      return oauthError("invalid_client", "The client could not be authenticated.");
    }
    const accessToken = await issueToken(issuer, named.clientId, certificate.hashHex);
    return reply(
      TOKEN.write({ accessToken, tokenType: "Bearer", expiresInSeconds: ACCESS_TOKEN_SECONDS }),
      OAUTH_HEADERS,
    );
  };
}

/** A refusal of the door in the form of this endpoint (RFC 6749 §5.2). */
export function oauthErrorReply(refusal: Refusal): Reply {
  switch (refusal.code) {
    case "client_certificate_required":
    case "client_certificate_unknown":
      return oauthError("invalid_client", "The client could not be authenticated.");
    // Who it is, is known, and the secret was not looked at: the words must not blame it.
    case "partner_suspended":
    case "ip_not_allowed":
      return oauthError("unauthorized_client", `${refusal.code}: ${TITLE_OF[refusal.code]}.`);
    case "rate_limited":
    case "service_unavailable":
    case "internal_error":
      return oauthError("temporarily_unavailable", "Try again later.", refusal);
    default:
      return oauthError(
        "invalid_request",
        "The request is not a well-formed token request.",
        refusal,
      );
  }
}

const OAUTH_HEADERS = { "content-type": JSON_MEDIA_TYPE, pragma: "no-cache" };

function oauthError(error: OauthErrorCode, description: string, refusal?: Refusal): Reply {
  const headers: Record<string, string> = { ...OAUTH_HEADERS, ...refusal?.headers };
  if (refusal?.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(refusal.retryAfterSeconds);
  }
  return reply(oauthErrorToJson(error, description), headers, statusOf(error, refusal));
}

function statusOf(error: OauthErrorCode, refusal: Refusal | undefined): number {
  if (error === "invalid_client") return 401;
  switch (refusal?.code) {
    case "rate_limited":
      return 429;
    case "service_unavailable":
      return 503;
    case "internal_error":
      return 500;
    case "payload_too_large":
      return 413;
    default:
      return 400;
  }
}
