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

/** Makes the error for an answer other than 2xx. */
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
      // A newer service may send a code that this version does not know.
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
    const retryable = isTransient(status);
    return new SabikaError({ ...shared, code: oauth.error, message, retryable });
  }
  // The answer is not from the service, but from a proxy or load balancer in between.
  const message =
    `the answer (HTTP ${status}) is not of this API; is base_url right, is a proxy in between?`;
  return new SabikaError({
    ...shared,
    code: "unexpected_answer",
    message,
    retryable: isTransient(status),
  });
}

/** Returns whether a status alone suggests that a later attempt may succeed. */
function isTransient(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function readProblem(text: string): Problem | undefined {
  const json = readJson(text);
  return json === undefined ? undefined : problemFromJson(json);
}

/** Reads an error of the token endpoint (RFC 6749 §5.2). */
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
