import type { Page } from "@sabika/protocol";

/**
 * A list: awaiting it returns one page, iterating over it returns all items from that page on. Further pages
 * are fetched when they are needed (Decision D19).
 *
 * @example One page, and all of them
 * ```ts
 * import type { Client } from "@sabika/client";
 *
 * async function settled(client: Client): Promise<string[]> {
 *   const { data, nextCursor } = await client.listOrders({ limit: 10 });
 *   console.log(data.length, "orders and", nextCursor === null ? "no more" : "more");
 *   const ids: string[] = [];
 *   for await (const order of client.listOrders({ status: "executed" })) ids.push(order.id);
 *   return ids;
 * }
 * ```
 */
export interface Pages<T> extends Promise<Page<T>>, AsyncIterable<T> {}

/** Requests the first page at once, and the others during iteration. */
export function pagesOf<T>(
  fetchPage: (cursor: string | null) => Promise<Page<T>>,
  cursor: string | null = null,
): Pages<T> {
  const first = fetchPage(cursor);
  const items = () => everyItem((next) => next === cursor ? first : fetchPage(next), cursor);
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}

/**
 * Iterates over all items of a paged list; each page is fetched when it is needed.
 *
 * @param fetchPage fetches the page at a cursor
 * @param from the cursor of the first page; null: the beginning of the list
 * @example
 * ```ts
 * import { everyItem } from "@sabika/client";
 *
 * const pages = [{ data: [1, 2], nextCursor: "b" }, { data: [3], nextCursor: null }];
 * for await (const item of everyItem((cursor) => Promise.resolve(pages[cursor ? 1 : 0]!))) {
 *   console.log(item);
 * }
 * ```
 */
export async function* everyItem<T>(
  fetchPage: (cursor: string | null) => Promise<Page<T>>,
  from: string | null = null,
): AsyncGenerator<T> {
  let cursor = from;
  do {
    const page: Page<T> = await fetchPage(cursor);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
