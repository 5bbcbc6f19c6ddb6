import { listWithdrawalsToPay } from "@sabika/core/bank";
import {
  findOrder,
  findOwner,
  listDays,
  listFundings,
  listTrades,
  newestOf,
  partOf,
  readEventStory,
  readQuoteOf,
  readTradeStory,
} from "@sabika/core/oversight";
import type { Database, Listing, ListQuery } from "@sabika/core/store";
import { createReading, type Reading } from "@sabika/core/trading";
import { type IdPrefix, type Page, parseId } from "@sabika/protocol";
import type { Session } from "../connect/session.ts";
import { RefusedError } from "../outcome.ts";
import { inCells } from "./in_cells.ts";
import { readsOfOperations } from "./operations_of_database.ts";
import type { Filter, PartnersFilter, Reads } from "./reads.ts";

/**
 * What commands read, of the database: wherever a partner's rows are.
 *
 * @param control where the register and the list of cells are
 */
export function readsOfDatabase(session: Session, control: Database): Reads {
  const cells = inCells(session, control);

  const readingOf = async (database: Database) =>
    createReading({
      ...{ database, now: () => session.nowMs },
      // Asked for where it matters alone: a new database has none yet.
      environment: await session.environment(),
    });

  /** A partner, and its cell. */
  async function open(clientId: string): Promise<{ partnerId: number; reading: Reading }> {
    const { partnerId, database } = await cells.homeOf(clientId);
    return { partnerId, reading: await readingOf(database) };
  }

  async function ofPartner<T>(
    { partner, limit, after, fromMs, untilMs, key, ...of }: PartnersFilter & { status?: string },
    list: (reading: Reading, query: ListQuery) => Promise<Listing<T>>,
  ): Promise<Page<T>> {
    const { partnerId, reading } = await open(partner);
    const listing = await list(reading, {
      ...{ partnerId, limit, cursor: after, createdFromMs: fromMs, createdToMs: untilMs },
      ...{ idempotencyKey: key, status: of.status },
    });
    if (listing.ok) return listing.page;
    throw new RefusedError("invalid_request", NOT_A_CURSOR);
  }

  return {
    async orders({ partner, side, ...of }) {
      const filter = { ...periodOf(of, "ord"), clientId: partner, side };
      const found = await cells.ofEach(partner, (database) => listTrades(database, filter));
      return newestOf(found.map(({ trades, next }) => ({ data: trades, next })), of.limit);
    },
    order: (text) =>
      cells.findFirst(async (database) => {
        const found = await findOrder(database, text);
        const of = { environment: await session.environment(), nowMs: session.nowMs };
        return found && await readTradeStory(database, { ...of, orderId: found.orderId });
      }),
    quotes: (of) => ofPartner(of, (reading, query) => reading.listQuotes(query)),
    quote: (id) =>
      cells.findFirst(async (database) =>
        await readQuoteOf(database, await readingOf(database), id)
      ),
    events: (of) => ofPartner(of, (reading, query) => reading.listEvents(query)),
    event: (id) =>
      cells.findFirst(async (database) =>
        await readEventStory(database, await readingOf(database), id)
      ),
    async fundings({ partner, reference, ...of }) {
      const filter = { ...periodOf(of, "fund"), clientId: partner, reference };
      const found = await cells.ofEach(partner, (database) => listFundings(database, filter));
      return newestOf(found.map(({ fundings, hasMore }) => partOf(fundings, hasMore)), of.limit);
    },
    async funding(text) {
      const id = parseId("fund", text);
      if (id === undefined) return undefined;
      return await cells.findFirst(async (database) =>
        (await listFundings(database, { id, limit: 1 })).fundings[0]
      );
    },
    withdrawal: (id) =>
      cells.findFirst(async (database) => {
        const owner = await findOwner(database, "wd", id);
        if (owner === undefined) return undefined;
        const { clientId, uuid } = owner;
        const of = { clientId, id: uuid, status: "all", limit: 1 } as const;
        return (await listWithdrawalsToPay(database.sql, of))[0];
      }),
    async statement({ partner, day }) {
      const { partnerId, reading } = await open(partner);
      return await reading.statement({ partnerId, day });
    },
    async statements({ partner, ...of }) {
      const { partnerId, reading } = await open(partner);
      return await listDays(reading, { ...of, partnerId });
    },
    ...readsOfOperations(session, control, cells),
  };
}

const NOT_A_CURSOR = "--after takes what a list before it ended with";

/** @throws RefusedError when what the list shall go on after is none of its items */
function periodOf({ limit, after, fromMs, untilMs: toMs }: Filter, prefix: IdPrefix) {
  const before = after === undefined ? undefined : parseId(prefix, after);
  if (after === undefined || before !== undefined) return { limit, before, fromMs, toMs };
  throw new RefusedError("invalid_request", NOT_A_CURSOR);
}
