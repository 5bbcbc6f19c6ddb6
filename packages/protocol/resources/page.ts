import { list, nullable, readOnly, STRING } from "../form.ts";
import type { JsonValue } from "../json.ts";
import { jsonStringOrNull } from "../json_text.ts";
import { member, record } from "../record_form.ts";

/** One page of a list (Decision D19). */
export interface Page<T> {
  /** The items, in the order of the list. */
  readonly data: readonly T[];
  /** The opaque cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** Writes a page; `itemToJson` writes one of its items. */
export function pageToJson<T>(page: Page<T>, itemToJson: (item: T) => string): string {
  return `{"data":[${page.data.map((item) => itemToJson(item)).join(",")}],` +
    `"has_more":${page.nextCursor !== null},"next_cursor":${jsonStringOrNull(page.nextCursor)}}`;
}

/** Reads what `pageToJson` writes; `itemFromJson` reads one of its items. Throws `WireFormatError`. */
export function pageFromJson<T>(value: JsonValue, itemFromJson: (item: JsonValue) => T): Page<T> {
  const { data, nextCursor } = record<Page<T>>("page", {
    data: member("data", list(readOnly(itemFromJson))),
    nextCursor: member("next_cursor", nullable(STRING)),
  }).read(value);
  // Its items have a `toJSON` of their own.
  const toJSON = () => ({ data, has_more: nextCursor !== null, next_cursor: nextCursor });
  return Object.defineProperty({ data, nextCursor }, "toJSON", { value: toJSON });
}
