import type { Dossier, Line, Value } from "./line.ts";
import { LABELS } from "./words.ts";

type KindOf<V> = V extends unknown ? keyof V : never;

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
// What is written by patterns is short: a megabyte of digits would take minutes.
const isFigure = (value: unknown) =>
  typeof value === "string" && /^-?\d{1,40}(?:\.\d{1,40})?$/.test(value);
const isCondition = (value: unknown) => typeof value === "string" && value.length <= 200;
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

/** What the member of each kind of value is. */
const KINDS: Readonly<Record<KindOf<Value>, (value: unknown) => boolean>> = {
  text: isText,
  texts: areTexts,
  sar: isFigure,
  sar_per_gram: isFigure,
  grams: isFigure,
  percent: isFigure,
  count: isNumber,
  times: isNumber,
  at: isText,
  ms: isNumber,
  iban: isText,
  word: isText,
  roles: areTexts,
  act: isText,
  conditions: (value) => Array.isArray(value) && value.every(isCondition),
  rate: (rate) => isObject(rate) && isNumber(rate["perSecond"]) && isNumber(rate["burst"]),
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is of a kind that this release knows. */
export function isValue(value: unknown): value is Value {
  if (!isObject(value)) return false;
  const kinds = Object.keys(value);
  const isOne = kinds.length === 1 || kinds.length === 2 && "times" in value && "sar" in value;
  return isOne &&
    kinds.every((kind) =>
      Object.hasOwn(KINDS, kind) && KINDS[kind as keyof typeof KINDS](value[kind])
    );
}

function isLine(line: unknown): line is Line {
  if (!isObject(line)) return false;
  const { name, value, was, context = true, changed = true, ...others } = line;
  return typeof name === "string" && Object.hasOwn(LABELS, name) && isValue(value) &&
    (was === undefined || isValue(was)) && context === true && changed === true &&
    Object.keys(others).length === 0;
}

/** Whether a value is a dossier that can be signed: lines with labels and kinds of values that this release knows. */
export const isDossier = (value: unknown): value is Dossier =>
  Array.isArray(value) && value.every(isLine);

/**
 * Returns lines that were kept, also those of a later release, which are to be written and not to be computed with;
 * undefined for what a release before dossiers kept.
 */
export function asDossier(value: unknown): Dossier | undefined {
  const isKept = (line: unknown) => isObject(line) && isText(line["name"]) && "value" in line;
  return Array.isArray(value) && value.every(isKept) ? value as unknown as Dossier : undefined;
}
