import { type Form, unreadable } from "./form.ts";
import { isJsonObject, type JsonValue } from "./json.ts";
import { described, type Shape } from "./shape.ts";

/** A member of a record: its name on the wire, its form, and its description in the document. */
export interface Member<T> {
  readonly name: string;
  readonly form: Form<T>;
  readonly isOptional: boolean;
  readonly says: string | undefined;
}

/** A member with the same value in every record of a kind, as JSON text; it is written but not read. */
export interface Constant {
  readonly json: string;
  readonly says: string | undefined;
}

/**
 * The members of a record, in the order in which they are written. A constant stands under `$` and its
 * name on the wire.
 */
export type Members<T> =
  & { readonly [K in keyof T]-?: Member<Required<T>[K]> }
  & { readonly [name: `$${string}`]: Constant };

/**
 * Makes a member that every record has.
 *
 * @param says the description in the document; undefined if name and form suffice
 */
export function member<T>(name: string, form: Form<T>, says?: string): Member<T> {
  return { name, form, isOptional: false, says };
}

/** Makes a member that is left out when the record does not have it. */
export function optional<T>(name: string, form: Form<T>, says?: string): Member<T> {
  return { name, form, isOptional: true, says };
}

/** Makes a constant member; `json` is its value as JSON text. */
export function constant(json: string, says?: string): Constant {
  return { json, says };
}

/**
 * Makes the form of an object; throws TypeError if an optional member is the first or follows a constant.
 * Unknown members are ignored when it is read, since a newer service may send more (Decision D41).
 *
 * @param recordName names the record in errors and, in PascalCase, in the document
 */
export function record<T extends object>(recordName: string, members: Members<T>): Form<T> {
  const { parts, end } = layOut(members);
  const form: Form<T> = {
    shape: shapeOf(recordName, members),
    write(value) {
      const values = value as Record<string, unknown>;
      let text = "";
      for (const { key, before, write, isOptional } of parts) {
        const member = values[key];
        if (!isOptional || member !== undefined) text += before + write(member);
      }
      return text + end;
    },
    read(value, at) {
      const place = at?.replace(": ", ".") ?? recordName;
      if (!isJsonObject(value)) unreadable(`${place}:`, "not an object");
      const found: Record<string, unknown> = {};
      for (const { key, name, read, isOptional } of parts) {
        const member = value.get(name);
        if (member !== undefined) found[key] = read(member, `${place}: ${name}`);
        else if (!isOptional) unreadable(`${place}: ${name}`, "is missing");
      }
      return Object.defineProperty(found, "toJSON", json) as T;
    },
  };
  const json = jsonOf(form);
  return form;
}

/**
 * Makes the member with which `JSON.stringify` writes a value as it is on the wire, where it would throw for a
 * bigint: the numbers are exact, as no amount has more than 15 digits (Decision D5). It is not enumerable, so
 * that values are equal, copied and shown as before.
 */
function jsonOf<T>(form: Pick<Form<T>, "write">): PropertyDescriptor {
  return {
    value(this: T): unknown {
      return JSON.parse(form.write(this));
    },
  };
}

/** A member with the text before it, prepared once, since records are written for every order. */
interface Part extends Omit<Form<unknown>, "shape"> {
  readonly key: string;
  readonly name: string;
  readonly before: string;
  readonly isOptional: boolean;
}

function layOut(members: Readonly<Record<string, unknown>>): { parts: Part[]; end: string } {
  const parts: Part[] = [];
  let before = "{";
  const entries = Object.entries(members as Record<string, Member<unknown> | Constant>);
  for (const [key, described] of entries) {
    if ("json" in described) {
      before += `"${key.slice(1)}":${described.json},`;
      continue;
    }
    const { name, form: { write, read }, isOptional } = described;
    if (isOptional && before !== ",") {
      throw new TypeError(`${name}: an optional member must not be the first or follow a constant`);
    }
    parts.push({ key, name, before: `${before}"${name}":`, write, read, isOptional });
    before = ",";
  }
  return { parts, end: `${before.slice(0, -1)}}` };
}

function shapeOf(recordName: string, members: Readonly<Record<string, unknown>>): Shape {
  const properties: Record<string, Shape> = {};
  const required: string[] = [];
  const entries = Object.entries(members as Record<string, Member<unknown> | Constant>);
  for (const [key, field] of entries) {
    const isConstant = "json" in field;
    const name = isConstant ? key.slice(1) : field.name;
    const shape = isConstant ? { const: JSON.parse(field.json) as unknown } : field.form.shape;
    properties[name] = described(shape, field.says);
    if (isConstant || !field.isOptional) required.push(name);
  }
  const title = recordName.replace(/(?:^| )(.)/g, (_, letter: string) => letter.toUpperCase());
  return { title, type: "object", properties, required };
}

/** Makes the form of an object whose only member is the value, e.g. `{"reason": …}`. */
export function wrapped<T>(name: string, form: Form<T>): Form<T> {
  const { shape, ...methods } = record<{ value: T }>(
    name,
    { value: member(name, form) } as Members<{ value: T }>,
  );
  const { title: _title, ...untitled } = shape;
  return mapped({ ...methods, shape: untitled }, {
    toWire: (value) => ({ value }),
    fromWire: ({ value }) => value,
  });
}

/** Makes a form whose values are converted between program and wire; objects get a `toJSON` as records have. */
export function mapped<W, T>(
  form: Form<W>,
  { toWire, fromWire }: {
    toWire: (value: T) => W;
    fromWire: (wire: W, at: string | undefined) => T;
  },
): Form<T> {
  const write = (value: T) => form.write(toWire(value));
  const json = jsonOf({ write });
  return {
    shape: form.shape,
    write,
    read(value: JsonValue, at) {
      const read = fromWire(form.read(value, at), at);
      const isNewObject = isPlainObject(read) && !Object.hasOwn(read, "toJSON");
      return isNewObject ? Object.defineProperty(read, "toJSON", json) : read;
    },
  };
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
}
