import type { IdPrefix } from "./ids.ts";

/**
 * What a document says of a form: JSON Schema of draft 2020-12, as OpenAPI 3.1 takes it (Decision
 * D72). Nothing is read or checked by it here.
 */
export interface Shape {
  /** Names a shape of its own in the document; every other place refers to it. */
  readonly title?: string;
  /** The JSON type. */
  readonly type?: string | readonly string[];
  /** What it is, for people. */
  readonly description?: string;
  /** A format by name. */
  readonly format?: string;
  /** What a text matches. */
  readonly pattern?: string;
  /** The values there are. */
  readonly enum?: readonly (string | number | null)[];
  /** The one value. */
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
  /** Whether there may be others. */
  readonly additionalProperties?: boolean | Shape;
  /** One of these fits at least. */
  readonly anyOf?: readonly Shape[];
  /** Exactly one of these fits. */
  readonly oneOf?: readonly Shape[];
  /** Values that fit. */
  readonly examples?: readonly unknown[];
  /** How many decimals an amount may have. `multipleOf` would say it to validators that divide in binary. */
  readonly "x-decimals"?: number;
}

/** A time in UTC (Decision D7). */
export const TIME_SHAPE: Shape = {
  type: "string",
  format: "date-time",
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$`,
};

/** An exact decimal number (Decision D5). */
export function decimalShape(decimals: number, unit: string): Shape {
  return {
    type: "number",
    format: "decimal",
    description: `In ${unit}, at most ${decimals} decimals.`,
    "x-decimals": decimals,
  };
}

/** An id with its prefix (Decision D7). */
export function idShape(prefix: IdPrefix): Shape {
  const hex = (count: number) => `[0-9a-f]{${count}}`;
  const uuid = [8, 4, 4, 4, 12].map(hex).join("-");
  return { type: "string", pattern: `^${prefix}_${uuid}$` };
}

/** The shape, or null. */
export function orNull(shape: Shape): Shape {
  const { type } = shape;
  return typeof type === "string" && type !== "object" && shape.enum === undefined
    ? { ...shape, type: [type, "null"] }
    : { anyOf: [shape, { type: "null" }] };
}

/** Adds a description to a shape, in front of the one that it has already. */
export function described(shape: Shape, description: string | undefined): Shape {
  if (description === undefined) return shape;
  const existing = shape.description;
  return {
    ...shape,
    description: existing === undefined ? description : `${description} ${existing}`,
  };
}
