import type { ActArguments } from "@sabika/identity/signatures";
import { type AnyArgument, type ArgumentMistakeCode, argumentsOfAct } from "@sabika/office/acts";
import { readIban } from "@sabika/terms";
import { readWeightList } from "@sabika/terms/weight-list";
import { inOneScript, type QuantityMistake, readQuantity } from "../forms/read_quantity.ts";

/** The fields of a form by name, each with its values. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** What is wrong with a field: a code that the catalogues have words for, with what these name. */
export interface FieldMistake {
  readonly code:
    | ArgumentMistakeCode
    | QuantityMistake
    | "missing"
    | "not_on_list"
    | "on_list"
    | "not_offered"
    | "unchanged"
    | "refused";
  readonly least?: string;
  readonly most?: string;
  readonly decimals?: string;
  /** The entry of a list that is wrong. */
  readonly which?: string;
  /** What the act said, in the reader's language. */
  readonly detail?: string;
}

/** What is wrong with a form, by argument; under `""` what concerns no single field. */
export type Mistakes = Readonly<Record<string, FieldMistake>>;

/** The name of an argument's field; the group is the argument's path. */
const FIELD = /^given((?:\.[a-z][A-Za-z0-9_]*)+)$/;

/** Returns the name of the field that asks for an argument. */
export const fieldOf = (argument: string) => `given.${argument}`;
/** Returns the name of the hidden field that has what an argument's field held at first. */
export const wasOf = (argument: string) => `was.${argument}`;

/** A member of an argument, such as `rates.signed.burst`: an integer above zero. */
const MEMBER: AnyArgument = {
  shape: { type: "integer" },
  quantity: { unit: "count", decimals: 0 },
  read: (value) => value,
  mistakeIn: (value) => value === 0 ? { code: "above_zero" } : undefined,
};
/** An argument that the act does not know: the act refuses it by its name. */
const UNKNOWN: AnyArgument = { shape: { type: "string" }, read: (value) => value };

/** Returns an argument of an act, or a member of one. */
export function argumentOf(act: string, name: string): AnyArgument {
  return name.includes(".") ? MEMBER : argumentsOfAct(act)?.[name] ?? UNKNOWN;
}

/** Whether an act cannot be done without an argument; an empty list is not missing. */
export function isNeeded(act: string, name: string): boolean {
  const argument = argumentsOfAct(act)?.[name];
  return argument !== undefined && !("isOptional" in argument) && argument.shape.type !== "array";
}

/**
 * Reads the arguments of an act out of a form, each by its type and as people write it (Decision D97):
 * `given.partner`, `given.rates.signed.burst`. Empty fields are left out, except lists, which are then
 * empty; so are optional ones that are as they were shown.
 *
 * @param needed the arguments that may not be empty
 */
export function readArguments(
  act: string,
  fields: Fields,
  needed: readonly string[],
): { input: ActArguments; mistakes: Mistakes } {
  const input: Record<string, unknown> = {};
  const mistakes: Record<string, FieldMistake> = {};
  for (const [field, texts] of Object.entries(fields)) {
    const [, path] = FIELD.exec(field) ?? [];
    if (path === undefined) continue;
    const name = path.slice(1);
    if (fields[wasOf(name)]?.[0] === texts[0] && isAsBefore(act, name, fields)) continue;
    const [before = ""] = fields[wasOf(name)] ?? [];
    const read = texts[0]?.trim() === "" && before !== ""
      ? { mistake: { code: "missing" } } as const
      : readField(argumentOf(act, name), name, texts);
    if ("mistake" in read) mistakes[name] = read.mistake;
    else if (read.value !== undefined) put(input, name.split("."), read.value);
  }
  for (const name of needed) {
    const values = fields[fieldOf(name)] ?? [];
    if (values.every((value) => value.trim() === "")) mistakes[name] ??= { code: "missing" };
  }
  return { input: input as ActArguments, mistakes };
}

/** Whether an optional argument is as it was shown: of a member, all members of its argument. */
function isAsBefore(act: string, name: string, fields: Fields): boolean {
  if (isNeeded(act, name)) return false;
  if (!name.includes(".")) return true;
  const [argument] = name.split(".");
  return Object.entries(fields).every(([field, [text]]) =>
    !field.startsWith(`${fieldOf(argument!)}.`) || fields[`was${field.slice(5)}`]?.[0] === text
  );
}

function readField(
  argument: AnyArgument,
  name: string,
  texts: readonly string[],
): { value: unknown } | { mistake: FieldMistake } {
  const typed = typedValue(argument, name, texts);
  if ("mistake" in typed || typed.value === undefined) return typed;
  const value = argument.read(typed.value);
  if (value === undefined) return { mistake: { code: "not_offered" } };
  const mistake = argument.mistakeIn?.(value);
  return mistake === undefined ? typed : { mistake };
}

/** Reads what was typed as the JSON that the argument is read from. */
function typedValue(
  { shape: { type, items }, quantity }: AnyArgument,
  name: string,
  texts: readonly string[],
): { value: unknown } | { mistake: FieldMistake } {
  if (type === "array" && items?.enum !== undefined) return { value: texts };
  if (type === "array" && items?.type === "object") return listedBars(texts);
  if (type === "array") return { value: linesOf(name, texts) };
  // Of what a file may have, the file comes first.
  const text =
    (name === "signature" ? texts.find((part) => part.trim() !== "") : texts[0])?.trim() ??
      "";
  if (text === "") return { value: undefined };
  // A checkbox that is not ticked is not sent; a choice of two is.
  if (type === "boolean") {
    return { value: text === "false" ? false : /^(?:on|true)$/.test(text) || undefined };
  }
  if (quantity === undefined) return { value: tidy(name, text) };
  const read = readQuantity(text, quantity);
  if (!read.ok) return { mistake: { code: read.code, decimals: String(quantity.decimals) } };
  return { value: type === "integer" ? Number(read.value) : read.value };
}

/**
 * The entries of a list, of a field with one on each line. Ticks come before that field, each with an entry; a tick
 * counts once with the line that says more of the same.
 */
export function linesOf(name: string, texts: readonly string[]): string[] {
  const lines = (texts.at(-1) ?? "").split(/\r?\n/).map((line) => tidy(name, line))
    .filter((line) => line);
  const ticks = texts.slice(0, -1)
    .filter((tick) => !lines.some((line) => line === tick || line.startsWith(`${tick}=`)));
  return [...ticks, ...lines];
}

/** Writes a text as the act takes it, where it can be written in several ways. */
function tidy(name: string, text: string): string {
  if (
    /^(?:addresses|cidr|day|from_day|issued_on|valid_until|telephone|serial|unexpected)$/.test(name)
  ) return inOneScript(text);
  if (name === "bars") return tidySeenBar(text);
  if (name !== "iban") return text.trim();
  const iban = readIban(inOneScript(text));
  return iban.ok ? iban.value : text;
}

/** The bars of a weight list: of the file, or else of what was pasted. */
function listedBars(texts: readonly string[]): { value: unknown } | { mistake: FieldMistake } {
  const list = readWeightList(texts.find((text) => text.trim() !== "") ?? "");
  if (list.ok) return { value: list.bars };
  return { mistake: { code: "refused", detail: `line ${list.line} ${list.detail}` } };
}

const WEIGHT = { unit: "g", decimals: 6 } as const;

/** Writes a serial, or one with a weight after it, as `vault.count` takes it; a weight that is none stays as it is. */
function tidySeenBar(text: string): string {
  const [, serial = "", weight] = /^([^=;,،\t]*)(?:[=;,،\t](.*))?$/.exec(text) ?? [];
  if (weight === undefined) return inOneScript(text);
  const read = readQuantity(weight, WEIGHT);
  return `${inOneScript(serial)}=${read.ok ? read.value : weight.trim()}`;
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
