import { type Form, unreadable } from "./form.ts";
import { isJsonObject, type JsonValue } from "./json.ts";

/** A member of a record: its name on the wire and its form. */
export interface Member<T> {
  readonly name: string;
  readonly form: Form<T>;
  readonly isOptional: boolean;
}

/** What is the same in every record of a kind, as JSON text; it is written and not read. */
export interface Constant {
  readonly json: string;
}

/**
 * The members of a record, in the order in which they are written. A constant stands under `$` and its
 * name on the wire.
 */
export type Members<T> =
  & { readonly [K in keyof T]-?: Member<Required<T>[K]> }
  & { readonly [name: `$${string}`]: Constant };

/** A member that is always there. */
export function member<T>(name: string, form: Form<T>): Member<T> {
  return { name, form, isOptional: false };
}

/** A member that is left out where the record has none. */
export function optional<T>(name: string, form: Form<T>): Member<T> {
  return { name, form, isOptional: true };
}

/** @param json the value as JSON text */
export function constant(json: string): Constant {
  return { json };
}

/**
 * An object with these members. Members that are not named are passed over when it is read: a newer
 * service may send more (Decision D41).
 *
 * @param what names the record in errors
 */
export function record<T extends object>(what: string, members: Members<T>): Form<T> {
  const parts = Object.entries<Member<unknown> | Constant>(members).map(([key, part]) =>
    "json" in part
      ? { key, prefix: `"${key.slice(1)}":${part.json}`, member: undefined }
      : { key, prefix: `"${part.name}":`, member: part }
  );
  return {
    write(value) {
      const values = value as Record<string, unknown>;
      let text = "";
      for (const { key, prefix, member } of parts) {
        if (member === undefined) text += `,${prefix}`;
        else if (!member.isOptional || values[key] !== undefined) {
          text += `,${prefix}${member.form.write(values[key])}`;
        }
      }
      return `{${text.slice(1)}}`;
    },
    read(value, at) {
      const place = at?.replace(": ", ".") ?? what;
      if (!isJsonObject(value)) unreadable(`${place}:`, "not an object");
      const found: Record<string, unknown> = {};
      for (const { key, member } of parts) {
        if (member === undefined) continue;
        const { name, form, isOptional } = member;
        const given = value.get(name);
        if (given !== undefined) found[key] = form.read(given, `${place}: ${name}`);
        else if (!isOptional) unreadable(`${place}: ${name}`, "is missing");
      }
      return found as T;
    },
  };
}

/** An object whose one member is the value, e.g. `{"reason": …}`. */
export function wrapped<T>(name: string, form: Form<T>): Form<T> {
  return mapped(record<{ only: T }>(name, { only: member(name, form) } as Members<{ only: T }>), {
    toWire: (only) => ({ only }),
    fromWire: ({ only }) => only,
  });
}

/** A form whose values are held otherwise than they are written. */
export function mapped<W, T>(
  form: Form<W>,
  { toWire, fromWire }: {
    toWire: (value: T) => W;
    fromWire: (wire: W, at: string | undefined) => T;
  },
): Form<T> {
  return {
    write: (value) => form.write(toWire(value)),
    read: (value: JsonValue, at) => fromWire(form.read(value, at), at),
  };
}
