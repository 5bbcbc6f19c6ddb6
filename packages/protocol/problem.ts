import type { Diagnosis } from "./diagnosis_forms.ts";
import { DIAGNOSIS_FORMS } from "./diagnosis_forms.ts";
import { isErrorCode, RETRYABLE, STATUS_OF, TITLE_OF } from "./error_codes.ts";
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from "./json.ts";
import { jsonString } from "./json_text.ts";
import {
  FIELD_ERROR_CODES,
  type FieldError,
  type Meta,
  type MetaValue,
  type Refusal,
} from "./refusal.ts";
import type { Shape } from "./shape.ts";

/** The members of a problem that are not in its refusal. */
export interface ProblemOccurrence {
  /** The path of the request, without its query. */
  readonly instance: string;
  /** The id of the request, for questions to the operator. */
  readonly requestId: string;
  /** Only for a code with several statuses: `outcome_unknown` is 502, 503 or 504. */
  readonly status?: number;
}

/** An error answer as a partner reads it (RFC 9457; Decision D31). */
export interface Problem {
  /** A URN that ends with the code. */
  readonly type: string;
  /** A summary that never changes for a code. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** A description of this occurrence, for people. */
  readonly detail: string;
  /** The path of the request. */
  readonly instance: string;
  /** An `ErrorCode`, or one that a newer service knows. */
  readonly code: string;
  /** The id of the request, for questions to the operator. */
  readonly requestId: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The members of the request that are wrong; empty if none are listed. */
  readonly errors: readonly {
    readonly pointer: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Values that belong to the code. Amounts have at most 15 significant digits, which a double keeps. */
  readonly meta: Readonly<Record<string, string | number | boolean | null>>;
  /** Only on a signed probe (Decision D15). */
  readonly diagnosis?: {
    readonly form: string;
    readonly message: string;
    readonly canonicalString?: string;
  };
}

const text = (description: string): Shape => ({ type: "string", description });

/** The JSON Schema of what `problemJson` writes. */
export const PROBLEM_SHAPE: Shape = {
  title: "Problem",
  type: "object",
  properties: {
    type: text("A URN with the code."),
    title: text("What the code means, for people; the same every time."),
    status: { type: "integer", description: "The HTTP status." },
    detail: text("What happened this time, for people."),
    instance: text("The path of the request."),
    code: text("What programs decide by. New codes may come: then decide by the status."),
    request_id: text("Quote it when you write to the operator."),
    retryable: {
      type: "boolean",
      description: "Whether the same request, signed afresh, may succeed later as it is.",
    },
    errors: {
      type: "array",
      description: "With `invalid_request`: what is wrong with the body or the query.",
      items: {
        title: "FieldError",
        type: "object",
        properties: {
          pointer: text("JSON Pointer (RFC 6901) to the member; for a query `/` and its name."),
          code: { type: "string", enum: FIELD_ERROR_CODES, description: "For programs." },
          message: text("For people."),
        },
        required: ["pointer", "code", "message"],
      },
    },
    meta: {
      type: "object",
      description: "Facts that belong to the code, such as `order_id` or `skew_seconds`.",
      // Not `type: […]`, for which generators have no type.
      additionalProperties: {
        anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "null" }],
      },
    },
    diagnosis: {
      title: "Diagnosis",
      type: "object",
      description: "Of a signed probe: which common mistake explains the signature.",
      properties: {
        form: { type: "string", enum: DIAGNOSIS_FORMS, description: "The mistake." },
        message: text("What to change."),
        canonical_string: text("What was to be signed, with the absolute URL."),
      },
      required: ["form", "message"],
    },
  },
  required: ["type", "title", "status", "detail", "instance", "code", "request_id", "retryable"],
};

const TYPE_PREFIX = "urn:sabika:error:";
/** The most errors in an answer, because the caller decides how many there are. */
const ERRORS_MAX = 20;

/** Writes the body of an error answer (RFC 9457; Decision D31), with the first 20 of its errors. */
export function problemJson(refusal: Refusal, occurrence: ProblemOccurrence): string {
  const { code, errors, meta, diagnosis } = refusal;
  const detail = refusal.detail ?? `${TITLE_OF[code]}.`;
  return `{"type":"${TYPE_PREFIX}${code}","title":${jsonString(TITLE_OF[code])},` +
    `"status":${occurrence.status ?? STATUS_OF[code]},"detail":${jsonString(detail)},` +
    `"instance":${jsonString(occurrence.instance)},"code":"${code}",` +
    `"request_id":${jsonString(occurrence.requestId)},"retryable":${RETRYABLE[code]}` +
    (errors === undefined
      ? ""
      : `,"errors":[${errors.slice(0, ERRORS_MAX).map(fieldErrorJson).join(",")}]`) +
    (meta === undefined ? "" : `,"meta":${metaJson(meta)}`) +
    (diagnosis === undefined ? "" : `,"diagnosis":${diagnosisJson(diagnosis)}`) + "}";
}

/** Reads an error answer; returns undefined when the body is not one (a proxy's page, say). */
export function problemFromJson(value: JsonValue): Problem | undefined {
  if (!isJsonObject(value)) return undefined;
  const [code, requestId, status] = [
    textOf(value, "code"),
    textOf(value, "request_id"),
    value.get("status"),
  ];
  if (code === undefined || !(status instanceof JsonNumber)) return undefined;
  const retryable = value.get("retryable");
  const diagnosis = value.get("diagnosis");
  return {
    type: textOf(value, "type") ?? "about:blank",
    title: textOf(value, "title") ?? "",
    status: Number(status.text),
    detail: textOf(value, "detail") ?? "",
    instance: textOf(value, "instance") ?? "",
    code,
    requestId: requestId ?? "",
    retryable: typeof retryable === "boolean" ? retryable : isErrorCode(code) && RETRYABLE[code],
    errors: fieldErrorsFrom(value.get("errors")),
    meta: metaFrom(value.get("meta")),
    ...(isJsonObject(diagnosis) ? { diagnosis: diagnosisFrom(diagnosis) } : {}),
  };
}

function diagnosisJson({ form, message, canonicalString }: Diagnosis): string {
  return `{"form":"${form}","message":${jsonString(message)}` +
    (canonicalString === undefined ? "}" : `,"canonical_string":${jsonString(canonicalString)}}`);
}

function diagnosisFrom(value: JsonObject): Problem["diagnosis"] {
  const canonicalString = textOf(value, "canonical_string");
  return {
    form: textOf(value, "form") ?? "",
    message: textOf(value, "message") ?? "",
    ...(canonicalString === undefined ? {} : { canonicalString }),
  };
}

function fieldErrorJson(error: FieldError): string {
  return `{"pointer":${jsonString(error.pointer)},"code":"${error.code}",` +
    `"message":${jsonString(error.message)}}`;
}

function metaJson(meta: Meta): string {
  const members = Object.entries(meta).map(([name, value]) =>
    `${jsonString(name)}:${metaValueJson(value)}`
  );
  return `{${members.join(",")}}`;
}

function metaValueJson(value: MetaValue): string {
  if (typeof value === "string") return jsonString(value);
  return typeof value === "object" && value !== null ? value.decimal : String(value);
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = object.get(name);
  return typeof value === "string" ? value : undefined;
}

function fieldErrorsFrom(value: JsonValue | undefined): Problem["errors"] {
  if (!Array.isArray(value)) return [];
  return (value as readonly JsonValue[]).filter(isJsonObject).map((error) => ({
    pointer: textOf(error, "pointer") ?? "",
    code: textOf(error, "code") ?? "",
    message: textOf(error, "message") ?? "",
  }));
}

function metaFrom(value: JsonValue | undefined): Problem["meta"] {
  const meta: Record<string, string | number | boolean | null> = {};
  if (!isJsonObject(value)) return meta;
  for (const [name, member] of value) {
    if (member instanceof JsonNumber) meta[name] = Number(member.text);
    else if (member === null || typeof member === "string" || typeof member === "boolean") {
      meta[name] = member;
    }
  }
  return meta;
}
