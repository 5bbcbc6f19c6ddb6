import { formatId, type IdPrefix } from "@sabika/protocol";
import { count } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { partners } from "@sabika/service/partners";
import { type FilterOfAll, valuesOfAll } from "./newest_of_all.ts";

/** Rows that one page looks at for those of a side, all partners' together. */
const LOOKED_AT = 10_000;

/** A part of a list over all partners: what one database has of a page. */
export interface PartOfAll<T> {
  readonly data: readonly T[];
  /**
   * The id that the list goes on after; undefined at its end. A part whose rows are picked out may have
   * fewer than its limit, even none, and yet go on.
   */
  readonly next: string | undefined;
}

type ValuesOfAll = ReturnType<typeof valuesOfAll>;

/**
 * Reads a part. Rows that are picked out by what no index has, such as a side, are looked for among the
 * newest so many: whoever asks for what is rare pays with pages, and no page with the whole past.
 *
 * @param list.read the rows for these values, one more than the limit
 * @param list.oldest given when rows are picked out: the query of `oldestLookedAt`
 */
export async function readPartOfAll<Row, T>(
  pool: AnySql,
  filter: FilterOfAll,
  { prefix, read, oldest, idOf, itemOf }: {
    prefix: IdPrefix;
    read: (values: ValuesOfAll) => Promise<readonly Row[]>;
    oldest?:
      | ((
        pool: AnySql,
        values: Omit<ValuesOfAll, "limit"> & { skipped: number },
      ) => Promise<readonly { id: string }[]>)
      | undefined;
    idOf: (row: Row) => string;
    itemOf: (row: Row) => T;
  },
): Promise<PartOfAll<T>> {
  const values = valuesOfAll(filter);
  const { limit: _, ...bounds } = values;
  const [end] = oldest === undefined
    ? []
    : await oldest(pool, { ...bounds, skipped: await skippedOf(pool, filter) });
  const found = await read(end === undefined ? values : { ...values, fromId: end.id });
  const rows = found.slice(0, filter.limit);
  const last = found.length > filter.limit ? idOf(rows.at(-1)!) : end?.id;
  return {
    data: rows.map((row) => itemOf(row)),
    next: last === undefined ? undefined : formatId(prefix, last),
  };
}

/** How many of each partner's rows are looked at before its oldest. */
async function skippedOf(pool: AnySql, { clientId }: FilterOfAll): Promise<number> {
  if (clientId !== undefined) return LOOKED_AT - 1;
  const [all] = await drizzle(pool).select({ partners: count() }).from(partners);
  return Math.ceil(LOOKED_AT / Math.max(1, all!.partners)) - 1;
}
