import type { DecimalText } from "./amounts.ts";
import type { Diagnosis } from "./diagnosis_forms.ts";
import type { ErrorCode } from "./error_codes.ts";

/** An error of one member of a request. */
export interface FieldError {
  /** The member, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** For programs: `required`, `unknown_member`, `wrong_type`, `too_precise`, … */
  readonly code: FieldErrorCode;
  /** For people; never repeats what was sent. */
  readonly message: string;
}

/** The codes of errors of a member of a request. */
export const FIELD_ERROR_CODES = [
  "required",
  "unknown_member",
  "wrong_type",
  "wrong_form",
  "not_positive",
  "too_precise",
  "too_long",
  "not_allowed",
] as const;

/** One of {@link FIELD_ERROR_CODES}. */
export type FieldErrorCode = (typeof FIELD_ERROR_CODES)[number];

/** A value in a problem's `meta`; a `DecimalText` is written as a JSON number. */
export type MetaValue = string | number | boolean | null | DecimalText;
/** Further values of a refusal by name. */
export type Meta = Readonly<Record<string, MetaValue>>;

/** Everything about a refusal but its code. */
export interface RefusalDetails {
  /** What happened this time, for people. No secret, token, signature or body text. */
  readonly detail?: string;
  /** Further values that belong to the code. */
  readonly meta?: Meta;
  /** The members of the request that are wrong. */
  readonly errors?: readonly FieldError[];
  /** Only on a signed probe (Decision D15). */
  readonly diagnosis?: Diagnosis;
  /** Becomes the header Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Further headers of the answer, such as `allow` or `www-authenticate`; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected refusal, as a value; unexpected errors are thrown. */
export interface Refusal<Code extends string = ErrorCode> extends RefusalDetails {
  /** A refusal. */
  readonly ok: false;
  /** The reason. */
  readonly code: Code;
}

/** The result of an operation: its value, or a refusal. */
export type Outcome<T, R extends Refusal<string> = Refusal> =
  | { readonly ok: true; readonly value: T }
  | R;

/** Like `Outcome`, but where an idempotency key may have been used: `replayed` if it was made before. */
export type IdempotentOutcome<T> =
  | { readonly ok: true; readonly replayed: boolean; readonly value: T }
  | Refusal;

/** The result of reading a request: the request, or all that is wrong with it. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Makes a refusal; a text is its `detail`.
 *
 * @example refuse("malformed_request", "The body ended early.")
 * @example refuse("insufficient_funds", { meta: { asset: "SAR", needed: decimal("100.50") } })
 */
export function refuse<Code extends string>(
  code: Code,
  detail: string,
): Refusal<Code> & { readonly detail: string };
/** Makes a refusal. */
export function refuse<Code extends string>(code: Code, details?: RefusalDetails): Refusal<Code>;
export function refuse(code: string, details?: string | RefusalDetails): Refusal<string> {
  if (typeof details === "string") return { ok: false, code, detail: details };
  return details === undefined ? { ok: false, code } : { ok: false, code, ...details };
}

/** Makes the refusal `service_unavailable`: nothing was done; a repeat may succeed in 1 s (Decision D32). */
export function notCarriedOut(): Refusal {
  return refuse("service_unavailable", { retryAfterSeconds: 1 });
}
