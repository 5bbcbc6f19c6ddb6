import type { ActArguments } from "@sabika/identity/signatures";
import { shapeOfAct } from "@sabika/office/acts";
import type { Shape } from "@sabika/protocol";

/** The fields of a form by name, each with its values. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** The name of an argument's field; the group is the argument's path. */
const FIELD = /^given((?:\.[a-z][A-Za-z0-9_]*)+)$/;

/** Returns the name of the field that asks for an argument. */
export const fieldOf = (argument: string) => `given.${argument}`;

/**
 * Returns the schema of an act's argument. A member of an argument (`rates.signed.burst`) is an integer. An
 * argument that the act does not know is a text: the act refuses it by its name.
 */
export function shapeOfArgument(act: string, argument: string): Shape {
  if (argument.includes(".")) return { type: "integer" };
  return shapeOfAct(act)?.properties?.[argument] ?? { type: "string" };
}

/**
 * Reads the arguments of an act out of a form, each by its type: `given.partner`,
 * `given.rates.signed.burst`. Empty fields are left out, except lists, which are then empty.
 */
export function readArguments(act: string, fields: Fields): ActArguments {
  const input: Record<string, unknown> = {};
  for (const [field, texts] of Object.entries(fields)) {
    const [, path] = FIELD.exec(field) ?? [];
    if (path === undefined) continue;
    const argument = path.slice(1);
    const value = valueOf(shapeOfArgument(act, argument), texts);
    if (value !== undefined) put(input, argument.split("."), value);
  }
  return input as ActArguments;
}

function valueOf({ type, items }: Shape, texts: readonly string[]): unknown {
  if (type === "array" && items?.enum !== undefined) return texts;
  const text = texts[0]?.trim() ?? "";
  if (type === "array") {
    return text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line);
  }
  if (text === "") return undefined;
  if (type === "boolean") return text === "on" ? true : undefined;
  return type === "integer" ? Number(text) : text;
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = Object.hasOwn(target, name) ? target[name] as Record<string, unknown> : {};
  target[name] = inner;
  put(inner, rest, value);
}
