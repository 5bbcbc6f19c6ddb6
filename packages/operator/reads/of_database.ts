import { listWithdrawalsToPay } from "@sabika/core/bank";
import {
  findOrder,
  findOwner,
  listFundings,
  listTrades,
  type Owner,
  readTradeStory,
} from "@sabika/core/oversight";
import { findPartner, type PartnerRecord } from "@sabika/core/partners";
import { type Database, type Listing, type ListQuery, MAIN_CELL } from "@sabika/core/store";
import { createReading, type Reading } from "@sabika/core/trading";
import {
  type DeliveryAttempt,
  type Environment,
  type Id,
  type IdPrefix,
  type Page,
  PAGE_LIMIT_MAX,
  parseId,
} from "@sabika/protocol";
import { RefusedError } from "../outcome.ts";
import type { DaysBalances, Filter, PartnersFilter, Reads } from "./reads.ts";

/** What commands read, of the database. */
export function readsOfDatabase(
  { database, environment, now }: {
    database: Database;
    environment: Environment;
    now: () => number;
  },
): Reads {
  const reading = createReading({ database, environment, now });

  async function demandPartner(clientId: string): Promise<PartnerRecord> {
    const partner = await findPartner(database.sql, clientId);
    if (partner === undefined) {
      throw new RefusedError("not_found", `there is no partner "${clientId}"`);
    }
    // Its rows are not here: an empty list would say that it has none.
    if (partner.cellId === MAIN_CELL) return partner;
    throw new RefusedError(
      "other_cell",
      `"${clientId}" is in the cell "${partner.cellId}", which this command does not read yet`,
    );
  }

  async function pageOf<T>(
    { partner, limit, after, fromMs, untilMs, key, ...of }: PartnersFilter & { status?: string },
    list: (query: ListQuery) => Promise<Listing<T>>,
  ): Promise<Page<T>> {
    const { partnerId } = await demandPartner(partner);
    const listing = await list({
      ...{ partnerId, limit, cursor: after, createdFromMs: fromMs, createdToMs: untilMs },
      ...{ idempotencyKey: key, status: of.status },
    });
    if (listing.ok) return listing.page;
    throw new RefusedError("invalid_request", NOT_A_CURSOR);
  }

  async function owned<T extends object>(
    prefix: Parameters<typeof findOwner>[1],
    id: string,
    read: (owner: Owner) => Promise<T | undefined>,
  ): Promise<T & { clientId: string } | undefined> {
    const owner = await findOwner(database, prefix, id);
    const found = owner && await read(owner);
    return found && { ...found, clientId: owner.clientId };
  }

  return {
    async orders({ partner, side, ...of }) {
      if (partner !== undefined) await demandPartner(partner);
      const filter = { ...periodOf(of, "ord"), clientId: partner, side };
      const { trades, hasMore } = await listTrades(database, filter);
      return pageById(trades, hasMore);
    },
    async order(text) {
      const found = await findOrder(database, text);
      const of = { environment, nowMs: now() };
      return found && await readTradeStory(database, { ...of, orderId: found.orderId });
    },
    quotes: (of) => pageOf(of, reading.listQuotes),
    quote: (id) =>
      owned("qt", id, ({ partnerId, uuid }) => reading.getQuote({ partnerId, quoteId: uuid })),
    events: (of) => pageOf(of, reading.listEvents),
    event: (id) =>
      owned("evt", id, async ({ partnerId, uuid: eventId }) => {
        const event = await reading.getEvent({ partnerId, eventId });
        return event && { event, attempts: await everyAttempt(reading, { partnerId, eventId }) };
      }),
    async fundings({ partner: clientId, reference, ...of }) {
      if (clientId !== undefined) await demandPartner(clientId);
      const filter = { ...periodOf(of, "fund"), clientId, reference };
      const { fundings, hasMore } = await listFundings(database, filter);
      return pageById(fundings, hasMore);
    },
    async funding(id) {
      const uuid = parseId("fund", id);
      if (uuid === undefined) return undefined;
      return (await listFundings(database, { id: uuid, limit: 1 })).fundings[0];
    },
    async withdrawal(id) {
      const owner = await findOwner(database, "wd", id);
      if (owner === undefined) return undefined;
      const { clientId, uuid } = owner;
      const of = { clientId, id: uuid, status: "all", limit: 1 } as const;
      return (await listWithdrawalsToPay(database.sql, of))[0];
    },
    async statement({ partner, day }) {
      const { partnerId } = await demandPartner(partner);
      return await reading.statement({ partnerId, day });
    },
    async statements({ partner, until, days }) {
      const { partnerId } = await demandPartner(partner);
      const found: DaysBalances[] = [];
      for (const day of daysUntil(until, days)) {
        const statement = await reading.statement({ partnerId, day });
        if (statement !== undefined) found.push(statement);
      }
      return found;
    },
  };
}

const NOT_A_CURSOR = "--after takes what a list before it ended with";

/** @throws RefusedError when what the list shall go on after is none of its items */
function periodOf({ limit, after, fromMs, untilMs: toMs }: Filter, prefix: IdPrefix) {
  const before = after === undefined ? undefined : parseId(prefix, after);
  if (after === undefined || before !== undefined) return { limit, before, fromMs, toMs };
  throw new RefusedError("invalid_request", NOT_A_CURSOR);
}

function pageById<T extends { readonly id: Id<IdPrefix> }>(
  data: readonly T[],
  hasMore: boolean,
): Page<T> {
  return { data, nextCursor: hasMore ? data.at(-1)!.id : null };
}

/** All attempts that are kept, oldest first. */
async function everyAttempt(
  reading: Reading,
  of: { partnerId: number; eventId: string },
): Promise<DeliveryAttempt[]> {
  const attempts: DeliveryAttempt[] = [];
  let cursor: string | undefined;
  do {
    const found = await reading.listAttempts({ ...of, limit: PAGE_LIMIT_MAX, cursor });
    if (!found?.ok) break;
    attempts.push(...found.page.data);
    cursor = found.page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return attempts.reverse();
}

/** Dates, the newest first. */
function daysUntil(last: string, count: number): string[] {
  const endMs = Date.parse(`${last}T00:00:00.000Z`);
  return Array.from(
    { length: count },
    (_, n) => new Date(endMs - n * 86_400_000).toISOString().slice(0, 10),
  );
}
