import { PROBLEM_MEDIA_TYPE, problemJson, type Refusal, STATUS_OF } from "@sabika/protocol";
import { isPlainTarget } from "./plain_target.ts";
import type { Reply } from "./reply.ts";

/**
 * Makes a problem+json reply of a refusal (RFC 9457; Decision D31). Every error reply of the service is
 * made here, except those of the token endpoint, which have another form.
 *
 * @param call the reply contains its id and its path, unless the path is not plain
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
