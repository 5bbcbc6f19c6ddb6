import { PROBLEM_MEDIA_TYPE, problemJson, type Refusal, STATUS_OF } from "@sabika/protocol";
import { isPlainTarget } from "./plain_target.ts";
import type { Reply } from "./reply.ts";

/**
 * A refusal as a reply, problem+json (RFC 9457; Decision D31). Every error reply of the service is
 * made here, except those of the token endpoint, which have a form of their own.
 *
 * @param call whose id and path the reply names; a path that is not plain is not repeated
 */
export function problemReply(
  refusal: Refusal,
  call: { readonly requestId: string; readonly path: string },
): Reply & { readonly body: string } {
  // 504 is what the sidecar reports for a timeout; here the database was lost midway, so 503.
  const status = refusal.code === "outcome_unknown" ? 503 : STATUS_OF[refusal.code];
  const headers: Record<string, string> = {
    "content-type": PROBLEM_MEDIA_TYPE,
    ...refusal.headers,
  };
  if (refusal.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(refusal.retryAfterSeconds);
  }
  const body = problemJson(refusal, {
    instance: isPlainTarget(call.path) ? call.path : "/",
    requestId: call.requestId,
    status,
  });
  return { ok: true, status, body, headers };
}
