import { isJsonObject, type JsonValue, parseJson } from "@sabika/protocol";
import { LaterError, RefusedError } from "../outcome.ts";
import { type Answer, LostAnswerError } from "./transport.ts";

/**
 * Reads an answer of the office.
 *
 * @throws RefusedError when it is a refusal or comes from something else; a LostAnswerError when it is a failure
 *   (500 and above), which may have come after the commit, or from a proxy
 */
export function readAnswer({ status, text }: Answer): JsonValue {
  const json = parsed(text);
  if (json !== undefined && (status === 200 || status === 202)) return json;
  const members = isJsonObject(json) ? json : new Map<string, JsonValue>();
  const [code, detail] = [members.get("code"), members.get("detail")];
  if (code === "unbooked") throw new LaterError(String(detail));
  const Refusal = status >= 500 ? LostAnswerError : RefusedError;
  throw typeof code === "string" && typeof detail === "string"
    ? new Refusal(code, detail)
    : new Refusal("office_unavailable", `what answers there (${status}) is no office`);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
