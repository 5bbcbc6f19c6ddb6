import { isJsonObject, type JsonObject, parseJson } from "@sabika/protocol";
import type { RawResponse } from "./raw_https.ts";

/** Parses the body of an answer; throws Error if it is not a JSON object. */
export function objectOf(answer: Pick<RawResponse, "body">): JsonObject {
  const value = parseJson(answer.body);
  if (!isJsonObject(value)) throw new Error(`no object: ${answer.body}`);
  return value;
}

/** Returns the error code of an answer, or `ok`. */
export function codeOf(answer: RawResponse): string {
  return answer.status < 300 ? "ok" : String(objectOf(answer).get("code"));
}
