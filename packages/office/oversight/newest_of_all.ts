import { formatTime } from "@sabika/protocol";
import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { drizzle, Given } from "@sabika/database";
import { accounts } from "@sabika/service/ledger";
import { idAt, madeInPeriod, SLACK_MS } from "@sabika/service/lists";
import { partners } from "@sabika/service/partners";

/** Which rows of all partners are listed; what is left out narrows nothing. */
export interface FilterOfAll {
  readonly limit: number;
  /** The UUID of the row that the list goes on after. */
  readonly before?: string | undefined;
  readonly clientId?: string | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

/** What a list over all partners is given. */
export type GivenOfAll = Given<
  "limit",
  "before" | "clientId" | "from" | "to" | "fromId" | "toId"
>;

/** The parameters of the query for a filter; its limit is one row more than the page has. */
export function valuesOfAll({ limit, before, clientId, fromMs, toMs }: FilterOfAll) {
  return {
    limit: limit + 1,
    before,
    clientId,
    from: fromMs && formatTime(fromMs),
    to: toMs && formatTime(toMs),
    fromId: fromMs && idAt(fromMs - SLACK_MS),
    toId: toMs && idAt(toMs + SLACK_MS),
  };
}

/**
 * The oldest row that a page looks at which picks rows out by what no index has: of each partner's
 * newest, the one after as many as are skipped, and of those the newest. There is none where that is all.
 *
 * @param of a table's columns; its key is partner and UUIDv7
 */
export function oldestLookedAt(
  orm: ReturnType<typeof drizzle>,
  { partnerId, id }: { partnerId: PgColumn; id: PgColumn },
  filter: Given<"skipped"> & Omit<GivenOfAll, "limit">,
) {
  const oldest = orm.select({ id }).from(id.table)
    .where(and(eq(partnerId, partners.partnerId), liesBetween(id, filter)))
    .orderBy(desc(id)).limit(1).offset(filter.skipped).as("oldest");
  return orm.select({ id: sql<string>`${oldest.id}` }).from(partners)
    .innerJoin(accounts, eq(accounts.partnerId, partners.partnerId))
    .crossJoinLateral(oldest)
    .where(filter.clientId && eq(partners.clientId, filter.clientId))
    .orderBy(desc(oldest.id)).limit(1);
}

/** The bounds of the list's own key. */
function liesBetween(id: PgColumn, { before, fromId, toId }: Omit<GivenOfAll, "limit">) {
  return and(before && lt(id, before), fromId && gte(id, fromId), toId && lt(id, toId));
}

/**
 * The newest rows of all partners, to be joined: each partner's are read from its own end of the key,
 * and of those the newest of all make the page. So it costs what partners there are, not rows, and
 * writing them pays for no index more. What a partner left behind when it moved is not its own any more.
 *
 * @param of a table's columns; its key is partner and UUIDv7
 * @param narrowed what else must hold of a row
 */
export function newestOfAll(
  orm: ReturnType<typeof drizzle>,
  { partnerId, id, time }: { partnerId: PgColumn; id: PgColumn; time: PgColumn },
  filter: GivenOfAll,
  narrowed?: SQL,
) {
  const newest = orm.select({ id }).from(id.table)
    .where(and(
      eq(partnerId, partners.partnerId),
      liesBetween(id, filter),
      madeInPeriod(time, filter),
      narrowed,
    ))
    .orderBy(desc(id)).limit(filter.limit).as("newest");
  const { clientId } = partners;
  return orm.select({ partnerId: partners.partnerId, clientId, id: newest.id }).from(partners)
    .innerJoin(accounts, eq(accounts.partnerId, partners.partnerId))
    .crossJoinLateral(newest)
    .where(filter.clientId && eq(clientId, filter.clientId))
    .orderBy(desc(newest.id)).limit(filter.limit).as("page");
}
