import { formatId, formatTime, type IdPrefix } from "@sabika/protocol";
import { and, count, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type AnySql, type Database, drizzle, type Inputs, preparedQuery } from "@sabika/database";
import { accounts } from "@sabika/service/ledger";
import { idAt, madeInPeriod, SLACK_MS } from "@sabika/service/lists";
import { partners } from "@sabika/service/partners";

/** Which rows of all partners are listed; a filter that is left out narrows nothing. */
export interface FilterOfAll {
  readonly limit: number;
  /** The UUID of the row after which the list continues. */
  readonly before?: string | undefined;
  readonly clientId?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  readonly fromMs?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  readonly toMs?: number | undefined;
}

/** A part of a list over all partners: what one database has of a page. */
export interface PartOfAll<T> {
  readonly data: readonly T[];
  /**
   * The id after which the list continues; undefined at its end. A part of a filtered list may have fewer
   * rows than its limit, even none, and yet not be the last.
   */
  readonly next: string | undefined;
}

/** A table of partners' rows, whose key is partner and UUIDv7. */
interface KeyedTable {
  readonly partnerId: PgColumn;
  readonly id: PgColumn;
  readonly time: PgColumn;
}

type Bounds = Inputs<never, "before" | "clientId" | "from" | "to" | "fromId" | "toId">;
/** Drizzle on a pool. */
export type Orm = ReturnType<typeof drizzle>;

interface Query<Result> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Result> };
}

/** The newest rows' partners and ids, to be joined with the rows; `isRow` is the condition for that. */
export type NewestOfAll = ReturnType<typeof newestOfAll>;

/** How many rows a page searches, of all partners together, when no index has the filter's column. */
const SEARCHED_ROWS = 10_000;

/**
 * Makes a list over all partners, newest first, of what one database has.
 *
 * @param table.filters the columns to filter by, by the filter's name
 * @param table.isSearched whether a filtered page searches a bounded number of rows, since no index has
 *   the column: rare rows then take more pages, and no page reads all rows
 * @param select joins the rows; each has its key's UUID as `rowId`
 * @param itemOf makes an item of a row and of the list's further arguments
 */
export function listOfAll<
  Row extends { readonly rowId: string },
  T,
  Name extends string,
  More extends unknown[],
>(
  { prefix, key, filters, isSearched = false }: {
    prefix: IdPrefix;
    key: KeyedTable;
    filters: Readonly<Record<Name, PgColumn>>;
    isSearched?: boolean;
  },
  select: (orm: Orm, newest: NewestOfAll) => Query<readonly Row[]>,
  itemOf: (row: Row, ...more: More) => T,
): (
  database: Database,
  filter: FilterOfAll & { readonly [K in Name]?: string | undefined },
  ...more: More
) => Promise<PartOfAll<T>> {
  const names = Object.keys(filters) as Name[];
  const selectNewest = preparedQuery((orm, values: Bounds & Inputs<"limit", Name>) => {
    const picked = names.map((name) => values[name] && eq(filters[name], values[name]));
    return select(orm, newestOfAll(orm, key, values, and(...picked)));
  });
  const selectOldest = preparedQuery((orm, values: Bounds & Inputs<"skipped">) =>
    oldestSearched(orm, key, values)
  );
  return async ({ sql: pool }, filter, ...more) => {
    const { limit } = filter;
    const bounds = boundsOf(filter);
    const picked = Object.fromEntries(names.map((name) => [name, filter[name]]));
    const isPicked = Object.values(picked).some((value) => value !== undefined);
    const [end] = isSearched && isPicked
      ? await selectOldest(pool, { ...bounds, skipped: await skippedOf(pool, filter) })
      : [];
    const page = {
      ...bounds,
      ...picked,
      ...end && { fromId: end.id },
      limit: limit + 1,
    };
    const found = await selectNewest(pool, page as Parameters<typeof selectNewest>[1]);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1)!.rowId : end?.id;
    return {
      data: rows.map((row) => itemOf(row, ...more)),
      next: last === undefined ? undefined : formatId(prefix, last),
    };
  };
}

function boundsOf({ before, clientId, fromMs, toMs }: FilterOfAll) {
  return {
    before,
    clientId,
    from: fromMs && formatTime(fromMs),
    to: toMs && formatTime(toMs),
    fromId: fromMs && idAt(fromMs - SLACK_MS),
    toId: toMs && idAt(toMs + SLACK_MS),
  };
}

/** Computes how many of each partner's newest rows a page searches, less the last. */
async function skippedOf(pool: AnySql, { clientId }: FilterOfAll): Promise<number> {
  if (clientId !== undefined) return SEARCHED_ROWS - 1;
  const [all] = await drizzle(pool).select({ partners: count() }).from(partners);
  return Math.ceil(SEARCHED_ROWS / Math.max(1, all!.partners)) - 1;
}

/**
 * Finds the row at which a page's search ends: of each partner's rows the one after its newest `skipped`,
 * and of these the newest. No row when no partner has that many: then the page searches all.
 */
function oldestSearched(
  orm: Orm,
  { partnerId, id }: KeyedTable,
  values: Bounds & Inputs<"skipped">,
) {
  const oldest = orm.select({ id }).from(id.table)
    .where(and(eq(partnerId, partners.partnerId), liesBetween(id, values)))
    .orderBy(desc(id)).limit(1).offset(values.skipped).as("oldest");
  return orm.select({ id: sql<string>`${oldest.id}` }).from(partners)
    .innerJoin(accounts, eq(accounts.partnerId, partners.partnerId))
    .crossJoinLateral(oldest)
    .where(values.clientId && eq(partners.clientId, values.clientId))
    .orderBy(desc(oldest.id)).limit(1);
}

/** Makes the condition that a row's id lies in the list's bounds. */
function liesBetween(id: PgColumn, { before, fromId, toId }: Bounds) {
  return and(before && lt(id, before), fromId && gte(id, fromId), toId && lt(id, toId));
}

/**
 * Selects the newest rows of all partners: reads each partner's newest rows by the table's key, and takes
 * the newest of these. The cost grows with the number of partners, not of rows, and no further index is
 * needed. Rows that a partner left behind when it moved to another cell are left out.
 *
 * @param picked a further condition for rows; undefined for none
 */
function newestOfAll(
  orm: Orm,
  { partnerId, id, time }: KeyedTable,
  values: Bounds & Inputs<"limit">,
  picked: SQL | undefined,
) {
  const newest = orm.select({ id }).from(id.table)
    .where(and(
      eq(partnerId, partners.partnerId),
      liesBetween(id, values),
      madeInPeriod(time, values),
      picked,
    ))
    .orderBy(desc(id)).limit(values.limit).as("newest");
  const { clientId } = partners;
  const page = orm.select({ partnerId: partners.partnerId, clientId, id: newest.id }).from(partners)
    .innerJoin(accounts, eq(accounts.partnerId, partners.partnerId))
    .crossJoinLateral(newest)
    .where(values.clientId && eq(clientId, values.clientId))
    .orderBy(desc(newest.id)).limit(values.limit).as("page");
  return { page, isRow: and(eq(partnerId, page.partnerId), eq(id, page.id)) };
}
