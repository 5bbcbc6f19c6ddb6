import type { PartnerRecord } from "@sabika/service/partners";
import {
  type ErrorCode,
  FORM_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  type OauthErrorCode,
  oauthErrorToJson,
  type Refusal,
  STATUS_OF,
  TITLE_OF,
} from "@sabika/protocol";
import type { AdmittedCall, Counted, Read } from "../call/findings.ts";
import { isMediaType } from "../call/media_type.ts";
import { type Reply, reply } from "../call/reply.ts";
import { parseForm } from "../tokens/parse_form.ts";

/** A call of an endpoint that clients send forms to. */
export type FormCall = AdmittedCall & Counted & Read;

/** The fields of a form by their names; each came once. */
export type Form = ReadonlyMap<string, string>;

/** The parts that authenticate clients. `now` and `nowMs` are epoch milliseconds. */
export interface ClientParts {
  /** Takes as long for an unknown partner as for a wrong secret (fault F56). */
  readonly matchesClientSecret: (
    partner: PartnerRecord | undefined,
    secret: string,
    nowMs: number,
  ) => Promise<boolean>;
  readonly now: () => number;
}

/** Headers of every answer of the token and revocation endpoints (RFC 6749 §5.1). */
export const OAUTH_HEADERS = { "content-type": JSON_MEDIA_TYPE, pragma: "no-cache" };

/** Reads the form of a call; otherwise returns the answer that refuses it, `invalid_request`. */
export function readForm(call: FormCall): { ok: false; reply: Reply } | { ok: true; form: Form } {
  const isForm = isMediaType(call.header("content-type"), FORM_MEDIA_TYPE);
  const form = isForm ? parseForm(call.body) : undefined;
  if (form !== undefined) return { ok: true, form };
  const description = "The body must be a form, application/x-www-form-urlencoded.";
  return { ok: false, reply: oauthError("invalid_request", description) };
}

/**
 * Authenticates the client that the form names, by its secret and one of its active certificates, or by
 * the certificate alone if the operator marked it `tls_client_auth` (RFC 8705 §2.1; Decision D76).
 *
 * @returns undefined when the caller is the client, otherwise the answer that refuses it
 */
export async function refuseClient(
  { matchesClientSecret, now }: ClientParts,
  call: FormCall,
  form: Form,
): Promise<Reply | undefined> {
  const clientId = form.get("client_id");
  const secret = form.get("client_secret");
  const { partner, certificate } = call;
  const byHeader = refuseHeader(call.header("authorization"), secret !== undefined);
  if (byHeader !== undefined) return byHeader;
  if (clientId === undefined) return oauthError("invalid_request", "client_id is missing.");
  const named = partner.clientId === clientId ? partner : undefined;
  let isClient: boolean;
  if (secret !== undefined) {
    isClient = await matchesClientSecret(named, secret, now()) && named !== undefined;
  } else if (certificate.tokenAuth === "tls_client_auth") isClient = named !== undefined;
  else return oauthError("invalid_request", "client_secret is missing.");
  return isClient
    ? undefined
    : oauthError("invalid_client", "The client could not be authenticated.");
}

/** RFC 6749 §2.3: one method in a request; §5.2: a refused header is answered with its scheme. */
function refuseHeader(authorization: string | undefined, hasSecret: boolean): Reply | undefined {
  if (authorization === undefined) return undefined;
  const isBasic = /^basic(?: |$)/i.test(authorization);
  const name = isBasic ? "Authorization: Basic" : "The header Authorization";
  if (hasSecret || !isBasic) {
    return oauthError(
      "invalid_request",
      `${name} is not used here: the client is authenticated by the form and its certificate. ` +
        "Leave the header out.",
    );
  }
  const refused = oauthError(
    "invalid_client",
    "Authorization: Basic is not used here: send client_id and client_secret in the form.",
  );
  return {
    ...refused,
    headers: { ...refused.headers, "www-authenticate": 'Basic realm="sabika"' },
  };
}

/** A refusal of the door as an OAuth error (RFC 6749 §5.2). */
export function oauthErrorReply(refusal: Refusal): Reply {
  switch (refusal.code) {
    case "client_certificate_required":
    case "client_certificate_unknown":
      return oauthError(
        "invalid_client",
        refusal.detail ?? "The client could not be authenticated.",
      );
    // The client is known and its secret was not checked: this must not suggest wrong credentials.
    case "partner_suspended":
    case "ip_not_allowed":
      return oauthError("unauthorized_client", `${refusal.code}: ${TITLE_OF[refusal.code]}.`);
    case "rate_limited":
    case "service_unavailable":
    case "outcome_unknown":
    case "internal_error":
      return oauthError("temporarily_unavailable", "Try again later.", refusal);
    default:
      return oauthError(
        "invalid_request",
        "The request is not a well-formed request of a client.",
        refusal,
      );
  }
}

/** Makes an OAuth error (RFC 6749 §5.2); `refusal` gives headers, `Retry-After` and, for some codes, status. */
export function oauthError(error: OauthErrorCode, description: string, refusal?: Refusal): Reply {
  const headers: Record<string, string> = { ...OAUTH_HEADERS, ...refusal?.headers };
  if (refusal?.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(refusal.retryAfterSeconds);
  }
  return reply(oauthErrorToJson(error, description), headers, statusOf(error, refusal));
}

/** Refusals that keep their status; the others become 400. */
const KEEPS_STATUS: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "service_unavailable",
  "internal_error",
  "payload_too_large",
]);

function statusOf(error: OauthErrorCode, refusal: Refusal | undefined): number {
  if (error === "invalid_client") return 401;
  // The client then takes the token for valid, and repeats (RFC 7009 §2.2.1).
  if (refusal?.code === "outcome_unknown") return 503;
  return refusal !== undefined && KEEPS_STATUS.has(refusal.code) ? STATUS_OF[refusal.code] : 400;
}
