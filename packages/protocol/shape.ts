import type { IdPrefix } from "./ids.ts";

/**
 * The JSON Schema (draft 2020-12) of a form, for OpenAPI 3.1 (Decision D72). Nothing is read or checked
 * with it here.
 */
export interface Shape {
  /** The name of the schema in the document, to which other schemas refer. */
  readonly title?: string;
  /** The JSON type. */
  readonly type?: string | readonly string[];
  /** What it is, for people. */
  readonly description?: string;
  /** A format by name. */
  readonly format?: string;
  /** The regular expression that a text matches. */
  readonly pattern?: string;
  /** The allowed values. */
  readonly enum?: readonly (string | number | null)[];
  /** The only value. */
  readonly const?: unknown;
  /** Inclusive. */
  readonly minimum?: number;
  /** Inclusive. */
  readonly maximum?: number;
  /** Exclusive. */
  readonly exclusiveMinimum?: number;
  /** In characters. */
  readonly minLength?: number;
  /** In characters. */
  readonly maxLength?: number;
  /** Of an array. */
  readonly items?: Shape;
  /** Of an array. */
  readonly maxItems?: number;
  /** The members by name. */
  readonly properties?: Readonly<Record<string, Shape>>;
  /** The members that must be there. */
  readonly required?: readonly string[];
  /** Whether other members are allowed. */
  readonly additionalProperties?: boolean | Shape;
  /** At least one of these must fit. */
  readonly anyOf?: readonly Shape[];
  /** Exactly one of these must fit. */
  readonly oneOf?: readonly Shape[];
  /** Example values. */
  readonly examples?: readonly unknown[];
  /** How many decimals an amount may have; not `multipleOf`, since validators divide in binary. */
  readonly "x-decimals"?: number;
}

/** A time in UTC (Decision D7). */
export const TIME_SHAPE: Shape = {
  type: "string",
  format: "date-time",
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$`,
};

/** Makes the shape of an exact decimal number (Decision D5). */
export function decimalShape(decimals: number, unit: string): Shape {
  return {
    type: "number",
    format: "decimal",
    description: `In ${unit}, at most ${decimals} decimals.`,
    "x-decimals": decimals,
  };
}

/** Makes the shape of an id with its prefix (Decision D7). */
export function idShape(prefix: IdPrefix): Shape {
  const hex = (count: number) => `[0-9a-f]{${count}}`;
  const uuid = [8, 4, 4, 4, 12].map(hex).join("-");
  return { type: "string", pattern: `^${prefix}_${uuid}$` };
}

/** Makes the shape of the same values or null. */
export function orNull(shape: Shape): Shape {
  const { type } = shape;
  return typeof type === "string" && type !== "object" && shape.enum === undefined
    ? { ...shape, type: [type, "null"] }
    : { anyOf: [shape, { type: "null" }] };
}

/** Adds a description to a shape, before its own description if it has one. */
export function described(shape: Shape, description: string | undefined): Shape {
  if (description === undefined) return shape;
  const existing = shape.description;
  return {
    ...shape,
    description: existing === undefined ? description : `${description} ${existing}`,
  };
}
