import {
  HEADER,
  isJsonObject,
  OAUTH_ERROR_CODES,
  parseJson,
  problemFromJson,
} from "@sabika/protocol";
import type { JsonValue, OauthErrorCode, Problem } from "@sabika/protocol";
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
    requestId: answer.headers.get(HEADER.requestId) ?? undefined,
    retryAfterSeconds: readRetryAfter(answer.headers.get(HEADER.retryAfter), nowMs),
    idempotencyKey,
  };
  const problem = readProblem(text);
  if (problem) {
    return new SabikaError({
      ...shared,
      // A newer service may have a code that this list does not.
      code: problem.code as SabikaErrorCode,
      message: `${problem.code}: ${problem.detail || problem.title}`,
      requestId: problem.requestId || shared.requestId,
      retryable: problem.retryable,
      meta: problem.meta,
      errors: problem.errors,
      diagnosis: problem.diagnosis,
    });
  }
  const oauth = readOauthError(text);
  if (oauth) {
    const message = `${oauth.error}: ${oauth.description ?? "the token request was refused"}`;
    return new SabikaError({ ...shared, code: oauth.error, message, retryable: isPassing(status) });
  }
  // Not of this API: a proxy or a load balancer in between answered.
  const message =
    `the answer (HTTP ${status}) is not of this API; is base_url right, is a proxy in between?`;
  return new SabikaError({
    ...shared,
    code: "unexpected_answer",
    message,
    retryable: isPassing(status),
  });
}

/** Whether a status alone says that later may be better. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function readProblem(text: string): Problem | undefined {
  const json = readJson(text);
  return json === undefined ? undefined : problemFromJson(json);
}

/** RFC 6749 §5.2. */
function readOauthError(
  text: string,
): { error: OauthErrorCode; description: string | undefined } | undefined {
  const json = readJson(text);
  const error = isJsonObject(json)
    ? OAUTH_ERROR_CODES.find((code) => code === json.get("error"))
    : undefined;
  if (error === undefined || !isJsonObject(json)) return undefined;
  const description = json.get("error_description");
  return { error, description: typeof description === "string" ? description : undefined };
}

function readJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
