import { PROBLEM_MEDIA_TYPE } from "@sabika/protocol";
import type { Context } from "hono";
import { statusOf, titleOf } from "./error_codes.ts";
import type { OfficeEnv } from "./office.ts";
import type { Refused } from "./refused.ts";

/** Makes the answer to a refused request, as problem+json (RFC 9457). */
export function problem(
  context: Context<OfficeEnv>,
  { code, detail }: Pick<Refused, "code" | "detail">,
): Response {
  const [status, title] = [statusOf(code), titleOf(code)];
  const body = {
    type: `urn:sabika:error:${code}`,
    title,
    status,
    detail: detail ?? `${title}.`,
    instance: context.req.path,
    code,
    request_id: context.get("requestId"),
  };
  return context.body(JSON.stringify(body), status as 400, { "content-type": PROBLEM_MEDIA_TYPE });
}
