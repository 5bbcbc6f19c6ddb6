import type { Json } from "./json.ts";
import { type Row, table } from "./table.ts";

/**
 * A column: its member in JSON, its heading (null: only in JSON), its value, and how people
 * read it where that differs.
 */
export type Column<T> = readonly [
  member: string,
  heading: string | null,
  value: (row: T) => Json,
  text?: (row: T) => Row[number],
];

/** Rows as JSON and as a table. */
export function listing<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
): { json: { readonly [member: string]: Json }[]; text: string } {
  const shown = columns.filter(([, heading]) => heading !== null);
  return {
    json: rows.map((row) =>
      Object.fromEntries(columns.map(([member, , value]) => [member, value(row)]))
    ),
    text: table(
      shown.map(([, heading]) => heading!),
      rows.map((row) => shown.map(([, , value, text]) => text ? text(row) : cell(value(row)))),
    ),
  };
}

/** A value as people read it: an amount by its exact text. */
export function cell(value: Json): Row[number] {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return "decimal" in value ? String(value.decimal) : JSON.stringify(value);
}
