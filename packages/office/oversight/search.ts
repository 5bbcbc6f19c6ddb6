import { formatId, isIdempotencyKey, parseHalalas, parseId } from "@sabika/protocol";
import { ilike, or, sql as expression } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import { partners } from "@sabika/service/partners";
import { findBarSerials } from "@sabika/service/vault";
import { type ActName, readIban } from "@sabika/terms";
import { findOrder } from "./find_order.ts";
import { findOrdersBack, type OrdersFound } from "./find_orders_back.ts";
import { findOwner } from "./find_owner.ts";
import { listFundings } from "./list_fundings.ts";
import type { Hit } from "./hit.ts";
import { listWithdrawalsOfAll } from "./list_withdrawals.ts";

/** How far back the columns that no index has are searched: clients' references and amounts. */
export const SEARCHED_DAYS = 31;
const DAY_MS = 86_400_000;
/** How many of a kind are found at most. */
const MOST = 20;

/** What a search is for, and what the searcher may read. */
export interface SearchQuery {
  readonly text: string;
  readonly may: (act: ActName) => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Where an earlier search of orders ended, epoch milliseconds: only those before it are searched. */
  readonly beforeMs?: number | undefined;
}

/** Finds partners by client id, settlement IBAN or a part of the name, and a bar by its serial. */
export async function searchControl(
  { sql }: Database,
  { text, may }: SearchQuery,
): Promise<Hit[]> {
  const { clientId, name, settlementIban } = partners;
  const iban = readIban(text);
  const [found, bars] = await Promise.all([
    may("partner.read")
      ? drizzle(sql).select({ clientId, name, settlementIban }).from(partners)
        .where(or(
          ilike(clientId, containing(text)),
          ilike(name, containing(text)),
          iban.ok ? expression`${settlementIban} = ${iban.value}` : undefined,
        )).orderBy(clientId).limit(MOST)
      : [],
    may("custody.read") ? findBarSerials(sql, text) : [],
  ]);
  const same = (known: string) => known.toLowerCase() === text.toLowerCase();
  return [
    ...found.map(({ clientId, name, settlementIban }) => ({
      kind: "partner" as const,
      id: clientId,
      clientId: null,
      name,
      isExact: same(clientId) || same(name) || iban.ok && settlementIban === iban.value,
    })),
    ...bars.map((serial) => ({ kind: "bar" as const, id: serial, clientId: null, isExact: true })),
  ];
}

/**
 * Finds what partners did, in one cell: by an id, an Idempotency-Key or the bank's reference, for which there
 * are indexes; and of the last 31 days by the client's reference, IBAN or amount in riyals.
 *
 * @returns also the time back to which it searched orders, if not all of these days, as they are very many: a search
 *   with this as `beforeMs` goes on from there
 */
export async function searchCell(
  database: Database,
  query: SearchQuery,
): Promise<OrdersFound> {
  const findOrders = async (): Promise<OrdersFound> => {
    const backToMs = query.now() - SEARCHED_DAYS * DAY_MS;
    const searched = { ...query, amount: amountOf(query.text), backToMs, limit: MOST };
    return query.may("trade.read") ? await findOrdersBack(database, searched) : { hits: [] };
  };
  if (query.beforeMs !== undefined) return await findOrders();
  // An id of ours is nobody's reference.
  if (/^(?:ord|qt|evt|wd|fund)_/.test(query.text)) {
    return { hits: await findNamed(database, query) };
  }
  const [named, orders, others] = await Promise.all([
    findNamed(database, query),
    findOrders(),
    findPayments(database, query),
  ]);
  // One thing may have the text as its reference and as its amount.
  const hits = new Map([...named, ...orders.hits, ...others].map((hit) => [hit.id, hit]));
  return { hits: [...hits.values()], sinceMs: orders.sinceMs };
}

/** Finds by what an index has: each costs a lookup for each partner. */
async function findNamed(database: Database, { text, may }: SearchQuery): Promise<Hit[]> {
  const hit = (kind: Hit["kind"], id: string, clientId: string | null): Hit => ({
    kind,
    id,
    clientId,
    isExact: true,
  });
  if (may("trade.read")) {
    const order = await findOrder(database, text);
    if (order !== undefined) return [hit("order", formatId("ord", order.orderId), null)];
    for (const [prefix, kind] of [["qt", "quote"], ["evt", "event"]] as const) {
      const owner = await findOwner(database, prefix, text);
      if (owner !== undefined) return [hit(kind, text, owner.clientId)];
    }
    const fundings = await Promise.all([
      ...[parseId("fund", text)].flatMap((id) =>
        id === undefined ? [] : [listFundings(database, { id, limit: 1 })]
      ),
      listFundings(database, { reference: text, limit: MOST }),
    ]);
    const found = fundings.flatMap(({ data }) => data);
    if (found.length > 0) {
      return found.map(({ createdAtMs: atMs, ...funding }) => ({
        ...hit("funding", funding.id, funding.clientId),
        amountHalalas: funding.amountHalalas,
        atMs,
      }));
    }
  }
  if (!may("withdrawal.read")) return [];
  const owner = await findOwner(database, "wd", text);
  if (owner !== undefined) return [hit("withdrawal", text, owner.clientId)];
  return (await withdrawalsOfKey(database, text)).map(({ id, clientId }) =>
    hit("withdrawal", formatId("wd", id), clientId)
  );
}

async function withdrawalsOfKey({ sql }: Database, text: string) {
  if (!isIdempotencyKey(text)) return [];
  return await sql<{ id: string; clientId: string }[]>`
    select resource_id as id, client_id as "clientId"
    from partners p join accounts a using (partner_id)
      cross join lateral known_key(p.partner_id, short_hash(${text}::text)) as known
    where resource_kind = 'withdrawal' order by p.partner_id limit ${MOST}::integer`;
}

/** Finds withdrawals and fundings of the last days by what no index has; they are far fewer than orders. */
async function findPayments(database: Database, { text, may, now }: SearchQuery): Promise<Hit[]> {
  const page = { limit: MOST, fromMs: now() - SEARCHED_DAYS * DAY_MS };
  const amountHalalas = amountOf(text);
  const iban = readIban(text);
  const ofAmount = amountHalalas ? [{ amountHalalas }] : [];
  const filters = [
    { clientReference: text },
    ...ofAmount,
    ...iban.ok ? [{ iban: iban.value }] : [],
  ];
  const [withdrawals, fundings] = await Promise.all([
    may("withdrawal.read")
      ? Promise.all(filters.map((by) => listWithdrawalsOfAll(database, { ...page, ...by })))
      : [],
    may("trade.read")
      ? Promise.all(ofAmount.map((by) => listFundings(database, { ...page, ...by })))
      : [],
  ]);
  const hitOf = (kind: "withdrawal" | "funding") =>
  (
    payment: { id: string; clientId: string; amountHalalas: bigint; createdAtMs: number },
  ): Hit => ({
    kind,
    id: payment.id,
    clientId: payment.clientId,
    isExact: true,
    amountHalalas: payment.amountHalalas,
    atMs: payment.createdAtMs,
  });
  return [
    ...withdrawals.flatMap(({ data }) => data).map(hitOf("withdrawal")),
    ...fundings.flatMap(({ data }) => data).map(hitOf("funding")),
  ];
}

/** Reads an amount in riyals as people write it, `25,000.50`; returns halalas as text, undefined for none. */
function amountOf(text: string): string | undefined {
  const amount = parseHalalas(text.replace(/^SAR\s*|\s*SAR$|,(?=[0-9]{3}\b)/gi, ""));
  return amount.ok ? String(amount.value) : undefined;
}

const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
