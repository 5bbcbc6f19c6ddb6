import type { Database } from "@sabika/database";
import type { FilterOfAll, PartOfAll } from "../oversight/list_of_all.ts";
import { type Id, type IdPrefix, parseId } from "@sabika/protocol";
import { Refused } from "../refused.ts";
import type { FindInput, Part } from "./read.ts";

/**
 * Makes the `find` of a list of all partners or of `client_id`, newest first, out of each cell's part. It
 * throws {@linkcode Refused} for an unknown partner or a wrong cursor.
 *
 * @param prefix the prefix of the items' ids, which are the list's cursors
 * @param find reads the part of one database
 * @param where where it is read, as in `FindInput`
 */
export function newestOfCells<T extends { readonly id: Id<IdPrefix> }>(
  prefix: IdPrefix,
  find: (database: Database, filter: FilterOfAll, input: FindInput) => Promise<PartOfAll<T>>,
  where: "inEachCell" | "pastInEachCell" = "inEachCell",
): (input: FindInput) => Promise<Part<T>> {
  return async (input) => {
    const { limit, cursor, createdFromMs: fromMs, createdToMs: toMs } = input.query;
    const clientId = input.filter["client_id"];
    await requirePartner(input, clientId);
    const filter = { limit, before: uuidOf(prefix, cursor), clientId, fromMs, toMs };
    const { found, away } = await input[where](
      clientId,
      (database) => find(database, filter, input),
    );
    return { ...newestOf(found, limit), away };
  };
}

async function requirePartner({ database }: FindInput, clientId?: string): Promise<void> {
  if (clientId === undefined) return;
  const { findPartner } = await import("@sabika/service/partners");
  if (await findPartner(database.sql, clientId) !== undefined) return;
  throw new Refused("not_found", `there is no partner "${clientId}"`);
}

/** Returns the UUID in a cursor, undefined without one; throws {@linkcode Refused} for another prefix. */
export function uuidOf(prefix: IdPrefix, cursor: string | undefined): string | undefined {
  const uuid = cursor === undefined ? undefined : parseId(prefix, cursor);
  if (cursor === undefined || uuid !== undefined) return uuid;
  throw wrongCursor();
}

/** Returns a cursor as a number, undefined without one; throws {@linkcode Refused} for any other text. */
export function numberOf(cursor: string | undefined): bigint | undefined {
  const number = cursorLike(/^[1-9][0-9]{0,14}$/, cursor);
  return number === undefined ? undefined : BigInt(number);
}

/** Returns a cursor, undefined without one; throws {@linkcode Refused} unless it has this form. */
export function cursorLike(form: RegExp, cursor: string | undefined): string | undefined {
  if (cursor === undefined || form.test(cursor)) return cursor;
  throw wrongCursor();
}

/** The refusal of a cursor that another list has given. */
export const wrongCursor = () =>
  new Refused("invalid_request", "cursor is not a next_cursor of this list");

/** Makes a page of `limit` items out of these and, when more follow, at least one more. */
export function firstPart<T>(
  found: readonly T[],
  limit: number,
  cursorOf: (item: T) => string,
): Part<T> {
  const data = found.slice(0, limit);
  return { data, next: found.length > limit ? cursorOf(data.at(-1)!) : undefined };
}

/**
 * Returns the newest items of several cells, in the order of their ids, which begin with the time (UUIDv7).
 * Items older than the point where some cell's part ended are left for a later page.
 */
function newestOf<T extends { readonly id: Id<IdPrefix> }>(
  found: readonly PartOfAll<T>[],
  limit: number,
): Part<T> {
  const end = found.map(({ next = "" }) => next).sort().at(-1) ?? "";
  const all = found.flatMap(({ data }) => data).filter(({ id }) => id >= end)
    .sort((a, b) => a.id < b.id ? 1 : -1);
  const data = all.slice(0, limit);
  return { data, next: (all.length > limit ? data.at(-1)!.id : end) || undefined };
}
