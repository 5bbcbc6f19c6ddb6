import { formatTime } from "@sabika/protocol";
import { and, desc, eq, gte, lt, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { drizzle } from "../store/drizzle.ts";
import { idAt, madeInPeriod, SLACK_MS } from "../store/list_query.ts";
import type { Given } from "../store/prepared_query.ts";
import { accounts, partners } from "../store/schema/mod.ts";

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

/** The same as values: one row more than the page has. */
export function valuesOfAll({ limit, before, clientId, fromMs, toMs }: FilterOfAll) {
  return {
    ...{ limit: limit + 1, before, clientId },
    from: fromMs && formatTime(fromMs),
    to: toMs && formatTime(toMs),
    fromId: fromMs && idAt(fromMs - SLACK_MS),
    toId: toMs && idAt(toMs + SLACK_MS),
  };
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
  given: GivenOfAll,
  narrowed?: SQL,
) {
  const newest = orm.select({ id }).from(id.table)
    .where(and(
      eq(partnerId, partners.partnerId),
      given.before && lt(id, given.before),
      given.fromId && gte(id, given.fromId),
      given.toId && lt(id, given.toId),
      madeInPeriod(time, given),
      narrowed,
    ))
    .orderBy(desc(id)).limit(given.limit).as("newest");
  const { clientId } = partners;
  return orm.select({ partnerId: partners.partnerId, clientId, id: newest.id }).from(partners)
    .innerJoin(accounts, eq(accounts.partnerId, partners.partnerId))
    .crossJoinLateral(newest)
    .where(given.clientId && eq(clientId, given.clientId))
    .orderBy(desc(newest.id)).limit(given.limit).as("page");
}
