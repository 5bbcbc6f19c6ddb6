import { type Read, valueAt } from "@sabika/office/reads";
import { type JsonValue, parseJson } from "@sabika/protocol";
import { plainJson } from "@sabika/protocol/plain-json";
import { details } from "./details.ts";
import { type Json, jsonOf } from "./json.ts";
import { type Column, listing } from "./listing.ts";

/** An item of a list, as the office answers it. */
export type Item = JsonValue;

/**
 * The columns of a read's items that commands show.
 *
 * @param texts formats a column's value for people, by the column's name, where that differs from JSON
 */
export function columnsOf(
  { columns = {} }: Pick<Read, "columns">,
  texts: Readonly<Record<string, (value: never) => string>> = {},
): Column<Item>[] {
  return Object.entries(columns).flatMap(([name, { head, from = name }]): Column<Item>[] => {
    if (head === undefined) return [];
    const found = (item: Item) => valueAt(item, from);
    const value = (item: Item) => jsonOf(found(item));
    const text = texts[name];
    return text === undefined
      ? [[name, head, value]]
      : [[name, head, value, (item) => text(plainJson(found(item)) as never)]];
  });
}

/** Turns a value into the item that the office answers. */
export function itemOf<T>({ form }: Read<T>, value: T): Item {
  return parseJson(form.write(value));
}

/** The members of the item that the office answers for a value. */
export function membersOf<T>(read: Read<T>, value: T): { readonly [name: string]: Json } {
  return jsonOf(itemOf(read, value)) as { readonly [name: string]: Json };
}

/** Shows the items of a list: as JSON, and as a table. */
export const listed = <T>(read: Read<T>, values: readonly T[]) =>
  listing(values.map((value) => itemOf(read, value)), columnsOf(read));

/** Shows one item: as JSON, and as a line for each column. */
export const detailed = <T>(read: Read<T>, value: T) =>
  details(itemOf(read, value), columnsOf(read));
