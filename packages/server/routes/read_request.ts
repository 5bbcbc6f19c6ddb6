import {
  canonicalJson,
  decodeUtf8,
  JsonSyntaxError,
  type JsonValue,
  type Parsed,
  parseJson,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import type { DeclaredJson, Read } from "../call/findings.ts";
import type { ReceivedCall } from "../call/received_call.ts";

/** A request that was read from a body, with what an Idempotency-Key stands for. */
export interface ReadRequest<T> {
  readonly ok: true;
  readonly request: T;
  /** The body. */
  readonly text: string;
  /** Method, path, query and the canonical form of the body (Decision D27). */
  readonly parameters: string;
}

/**
 * Reads the body of a write: strict UTF-8 and JSON (otherwise `malformed_json`), with only the members
 * that the request may have (otherwise `invalid_request`).
 *
 * @param fromJson one of protocol's readers, such as `orderRequestFromJson`
 */
export function readRequest<T>(
  call: ReceivedCall & DeclaredJson & Read,
  fromJson: (value: JsonValue) => Parsed<T>,
): ReadRequest<T> | Refusal {
  const text = decodeUtf8(call.body);
  if (text === undefined) return refuse("malformed_json", "The body is not UTF-8.");
  let json: JsonValue;
  try {
    json = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return refuse("malformed_json", `${error.message}.`);
  }
  const parsed = fromJson(json);
  if (!parsed.ok) return refuse("invalid_request", { errors: parsed.errors });
  const parameters = `${call.method}\n${call.path}\n${call.query}\n${canonicalJson(json)}`;
  return { ok: true, request: parsed.value, text, parameters };
}
