import {
  BODY_LIMIT_BYTES,
  type ErrorCode,
  formatTime,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import type { RefusalDetails } from "@sabika/protocol";
import { challenged } from "../door/bearer_token.ts";

const DETAIL = "Sabika-Simulate asked for it.";
const LATER: RefusalDetails = { retryAfterSeconds: 1 };

/** The further members of refusals, in their real form. */
const DETAILS: Partial<Record<ErrorCode, RefusalDetails>> = {
  signature_malformed: { meta: { reason: "not_three_segments" } },
  duplicate_header: { meta: { header: "idempotency-key" } },
  method_not_allowed: { headers: { allow: "GET, HEAD" } },
  payload_too_large: { meta: { limit_bytes: BODY_LIMIT_BYTES }, headers: { connection: "close" } },
  invalid_request: { errors: [{ pointer: "/simulated", code: "unknown_member", message: DETAIL }] },
  rate_limited: LATER,
  too_many_failed_authentications: LATER,
  too_many_signed_requests: LATER,
  service_unavailable: LATER,
};

/** Makes a refusal that trading cannot be made to give, as the door would make it. */
export function simulatedRefusal(code: ErrorCode, nowMs: number): Refusal {
  if (code === "timestamp_out_of_window") {
    const meta = { server_time: formatTime(nowMs), skew_seconds: -301 };
    return refuse(code, { detail: DETAIL, meta });
  }
  const refusal = refuse(code, { detail: DETAIL, ...DETAILS[code] });
  return code.startsWith("token_") ? challenged(refusal) : refusal;
}
