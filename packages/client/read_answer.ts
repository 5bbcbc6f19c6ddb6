import { isErrorCode, OAUTH_ERROR_CODES, parseJson, problemFromJson } from "@sabika/protocol";
import type { OauthErrorCode } from "@sabika/protocol";
import { readRetryAfter } from "./backoff.ts";
import { SabikaError } from "./sabika_error.ts";
import type { SabikaErrorCode } from "./sabika_error.ts";
import type { FetchAnswer } from "./transport.ts";

/** An answer other than 2xx as the error that the caller gets. */
export function readRefusal(
  answer: FetchAnswer,
  text: string,
  nowMs: number,
  idempotencyKey: string | undefined,
): SabikaError {
  const { status } = answer;
  const shared = {
    status,
    requestId: answer.headers.get("x-request-id") ?? undefined,
    retryAfterSeconds: readRetryAfter(answer.headers.get("retry-after"), nowMs),
    idempotencyKey,
  };
  const problem = readProblem(text);
  if (problem) {
    return new SabikaError({
      ...shared,
      code: problem.code as SabikaErrorCode,
      message: `${problem.code}: ${problem.detail ?? problem.title}`,
      requestId: problem.requestId ?? shared.requestId,
      retryable: problem.retryable,
      meta: problem.meta,
      errors: problem.errors,
      diagnosis: problem.diagnosis,
    });
  }
  const oauth = readOauthError(text);
  if (oauth) {
    const message = `${oauth.error}: ${oauth.description ?? "the token request was refused"}`;
    return new SabikaError({ ...shared, code: oauth.error, message, retryable: status >= 500 });
  }
  // Not of this API: a proxy or a load balancer in between answered.
  const message =
    `the answer (HTTP ${status}) is not of this API; is base_url right, is a proxy in between?`;
  return new SabikaError({
    ...shared,
    code: "unexpected_answer",
    message,
    retryable: status >= 500 || status === 429,
  });
}

function readProblem(text: string) {
  try {
    const problem = problemFromJson(parseJson(text));
    return problem && (isErrorCode(problem.code) || problem.code !== "") ? problem : undefined;
  } catch {
    return undefined;
  }
}
