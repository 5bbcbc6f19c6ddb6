import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { FieldError, FieldErrorCode, Parsed } from "./refusal.ts";
import type { Field } from "./request_fields.ts";
import { described, orNull, type Shape } from "./shape.ts";

/** A member of a request's body. */
export interface RequestMember<T> {
  /** Its name. */
  readonly name: string;
  /** The form of its value. */
  readonly field: Field<NonNullable<T>>;
  /** Whether it must be there; exactly one of the alternatives must. */
  readonly presence: "required" | "nullable" | "alternative";
  /** Its description in the document. */
  readonly says: string;
}

/** The form of a request's body: defined once, for writing, reading and describing. */
export interface RequestForm<T> {
  /** Its JSON Schema. */
  readonly shape: Shape;
  /** Writes the body as JSON text, without members that are null or undefined. */
  readonly write: (request: T) => string;
  /**
   * Reads the request; otherwise returns everything that is wrong with it, not only the first error.
   * Unknown members are refused (Decision D11).
   */
  readonly parse: (value: JsonValue) => Parsed<T>;
}

type Named = Pick<RequestMember<unknown>, "name" | "presence">;

/** Makes a member that must be there. */
export function required<T extends NonNullable<unknown>>(
  name: string,
  field: Field<T>,
  says: string,
): RequestMember<T> {
  return { name, field, presence: "required", says };
}

/** Makes a member that may be left out or null, which is read as null. */
export function nullOr<T extends NonNullable<unknown>>(
  name: string,
  field: Field<T>,
  says: string,
): RequestMember<T | null> {
  return { name, field, presence: "nullable", says } as RequestMember<T | null>;
}

/** Makes one of several members of which exactly one must be there; the others are left undefined. */
export function alternative<T extends NonNullable<unknown>>(
  name: string,
  field: Field<T>,
  says: string,
): RequestMember<T | undefined> {
  return { name, field, presence: "alternative", says } as RequestMember<T | undefined>;
}

/**
 * Makes the form of a body with these members, in the order in which they are written.
 *
 * @param title the name of the schema in the document
 */
export function requestForm<T extends object>(
  title: string,
  members: { readonly [K in keyof T]-?: RequestMember<T[K]> },
): RequestForm<T> {
  const entries = Object.entries(members) as [keyof T & string, RequestMember<unknown>][];
  const all = entries.map(([, member]) => member);
  return {
    shape: shapeOf(title, all),
    write(request) {
      const present = entries.filter(([key]) => (request[key] ?? null) !== null);
      const written = present.map(([key, { name, field }]) =>
        `"${name}":${field.write(request[key] as NonNullable<unknown>)}`
      );
      return `{${written.join(",")}}`;
    },
    parse(value) {
      // For something that is not an object one error is enough.
      if (!isJsonObject(value)) {
        return { ok: false, errors: [error("", "wrong_type", "must be an object")] };
      }
      const errors = [...unknownMembers(value, all), ...alternativesOf(value, all)];
      const request: Record<string, unknown> = {};
      for (const [key, { name, field, presence }] of entries) {
        const member = value.get(name);
        if (presence === "nullable" && (member ?? null) === null) request[key] = null;
        else if (member !== undefined) {
          const read = field.read(member);
          if (read.ok) request[key] = read.value;
          else errors.push(error(pointerTo(name), read.code, read.message));
        } else if (presence === "required") {
          errors.push(error(pointerTo(name), "required", "is required"));
        }
      }
      return errors.length > 0 ? { ok: false, errors } : { ok: true, value: request as T };
    },
  };
}

function unknownMembers(value: JsonObject, members: readonly Named[]): FieldError[] {
  const unknown = [...value.keys()].filter((name) => members.every((known) => known.name !== name));
  return unknown.map((name) =>
    error(pointerTo(name), "unknown_member", "is not a member of this request")
  );
}

/** Lists the errors if not exactly one of the alternatives is there. */
function alternativesOf(value: JsonObject, members: readonly Named[]): FieldError[] {
  const [first, ...others] = alternativesIn(members);
  if (first === undefined) return [];
  const [present, ...more] = [first, ...others].filter((name) => value.has(name));
  if (present === undefined) {
    const message = `is required, or ${others.join(" or ")} in its place`;
    return [error(pointerTo(first), "required", message)];
  }
  return more.map((name) =>
    error(pointerTo(name), "not_allowed", `must not stand beside ${present}`)
  );
}

function alternativesIn(members: readonly Named[]): string[] {
  return members.filter(({ presence }) => presence === "alternative").map(({ name }) => name);
}

function shapeOf(title: string, members: readonly RequestMember<unknown>[]): Shape {
  const properties = members.map(({ name, field: { shape }, presence, says }) =>
    [name, described(presence === "nullable" ? orNull(shape) : shape, says)] as const
  );
  const alternatives = alternativesIn(members);
  return {
    title,
    type: "object",
    properties: Object.fromEntries(properties),
    required: members.filter(({ presence }) => presence === "required").map(({ name }) => name),
    additionalProperties: false,
    ...(alternatives.length > 0
      ? { oneOf: alternatives.map((name) => ({ required: [name] })) }
      : {}),
  };
}

function error(pointer: string, code: FieldErrorCode, message: string): FieldError {
  return { pointer, code, message };
}

/** Makes the JSON Pointer to a member of the top level (RFC 6901 §3). */
function pointerTo(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
