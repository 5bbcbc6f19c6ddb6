import type { Json } from "./json.ts";
import { cell, type Column } from "./listing.ts";
import { list } from "./table.ts";

/** Shows one thing by the columns of its list: as JSON, and as a line for each column. */
export function details<T>(
  row: T,
  columns: readonly Column<T>[],
): { json: { readonly [member: string]: Json }; text: string } {
  return {
    json: Object.fromEntries(columns.map(([member, , value]) => [member, value(row)])),
    text: list(
      columns.map(([member, , value, text]) =>
        [member.replaceAll("_", " "), text ? text(row) : cell(value(row))] as const
      ),
    ),
  };
}
