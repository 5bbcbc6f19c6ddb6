import type { Page } from "@sabika/protocol";

/**
 * A list as it is answered: awaited it is one page, iterated it is all items from there on, page after
 * page, each fetched when it is needed (Decision D19).
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

/** Asks for the first page at once, and for the others when they are iterated. */
export function pagesOf<T>(
  fetchPage: (cursor: string | null) => Promise<Page<T>>,
  cursor: string | null = null,
): Pages<T> {
  const first = fetchPage(cursor);
  const items = () => everyItem((next) => next === cursor ? first : fetchPage(next), cursor);
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}

/**
 * All items of a list that comes in pages, each page fetched when it is needed.
 *
 * @param fetchPage fetches the page behind a cursor
 * @param from where to begin; null: at the newest
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
