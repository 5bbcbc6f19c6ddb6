import { type Page, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "@sabika/protocol";
import { neededFlag, readFlag, type Shown, textFlag } from "./command.ts";
import { type Column, listing } from "./listing.ts";
import { moment, momentAfter, text, whole } from "./parsers.ts";

/** The flags of every paged list: two times in epoch milliseconds, a count and a cursor. */
export interface PageFlags {
  from?: number;
  until?: number;
  limit?: number;
  after?: string;
}

/** How the flags of `PageFlags` are parsed and described. */
export const PAGE_FLAGS = {
  from: readFlag(moment, "Since this time, or this day of Riyadh", "TIME"),
  until: readFlag(momentAfter, "Before this time, or until the end of this day", "TIME"),
  limit: readFlag(
    pageLimit,
    `How many, the newest first, 1 to ${PAGE_LIMIT_MAX} (${PAGE_LIMIT_DEFAULT})`,
    "NUMBER",
  ),
  after: textFlag("Go on where a list before it ended", "CURSOR"),
};

/** The flag that names the partner whose list it is. */
export const PARTNER_FLAG = neededFlag(text, "Whose", "ID", { question: "Which partner?" });

/** Shows a page: as the API's JSON, and as a table followed by the flag that continues it. */
export function pageShown<T>(page: Page<T>, columns: readonly Column<T>[]): Shown {
  const { json, text } = listing(page.data, columns);
  const { nextCursor } = page;
  return {
    json: { data: json, has_more: nextCursor !== null, next_cursor: nextCursor },
    text: nextCursor === null ? text : `${text}\nthere are more: --after ${nextCursor}\n`,
  };
}

function pageLimit(input: string): number {
  const limit = whole(input);
  if (limit >= 1 && limit <= PAGE_LIMIT_MAX) return limit;
  throw new SyntaxError(`not a number from 1 to ${PAGE_LIMIT_MAX}`);
}
