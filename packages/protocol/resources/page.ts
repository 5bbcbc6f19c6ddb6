import { jsonStringOrNull } from "../json_text.ts";

/** One page of a list, newest first (Decision D19). */
export interface Page<T> {
  readonly data: readonly T[];
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null;
}

/** The page's wire form; `itemToJson` writes one of its items. */
export function pageToJson<T>(page: Page<T>, itemToJson: (item: T) => string): string {
  return `{"data":[${page.data.map((item) => itemToJson(item)).join(",")}],` +
    `"has_more":${page.nextCursor !== null},"next_cursor":${jsonStringOrNull(page.nextCursor)}}`;
}
