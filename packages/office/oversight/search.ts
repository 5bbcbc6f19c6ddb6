import { formatId, type IdPrefix, isIdempotencyKey, parseHalalas, parseId } from "@sabika/protocol";
import { ilike, or, sql as expression } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import { partners } from "@sabika/service/partners";
import { listBars } from "@sabika/service/vault";
import { type ActName, readIban } from "@sabika/terms";
import { findOrder } from "./find_order.ts";
import { findOwner } from "./find_owner.ts";
import { listFundings } from "./list_fundings.ts";
import type { FilterOfAll, PartOfAll } from "./list_of_all.ts";
import { listTrades } from "./list_trades.ts";
import { listWithdrawalsOfAll } from "./list_withdrawals.ts";

/** How far back the columns that no index has are searched: clients' references and amounts. */
export const SEARCHED_DAYS = 31;
/** How many of a kind are found at most, and how many parts of a list without an index are searched. */
const [MOST, PARTS] = [20, 20];

/** Something that a search found. */
export interface Hit {
  readonly kind:
    | "order"
    | "quote"
    | "event"
    | "withdrawal"
    | "funding"
    | "partner"
    | "bar";
  /** As people know it: `ord_…`, a client id, a serial. */
  readonly id: string;
  readonly clientId: string | null;
  /** Whether the text names it, rather than a part of its name. */
  readonly isExact: boolean;
  readonly amountHalalas?: bigint;
  readonly atMs?: number;
}

/** What a search is for, and what the searcher may read. */
export interface SearchQuery {
  readonly text: string;
  readonly may: (act: ActName) => boolean;
  readonly nowMs: number;
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
    may("vault.read") ? listBars(sql) : [],
  ]);
  const same = (known: string) => known.toLowerCase() === text.toLowerCase();
  return [
    ...found.map(({ clientId, name, settlementIban }) => ({
      kind: "partner" as const,
      id: clientId,
      clientId,
      isExact: same(clientId) || same(name) || iban.ok && settlementIban === iban.value,
    })),
    ...bars.filter(({ serial }) => same(serial)).map(({ serial }) => ({
      kind: "bar" as const,
      id: serial,
      clientId: null,
      isExact: true,
    })),
  ];
}

/**
 * Finds what partners did, in one cell: by an id, an Idempotency-Key or the bank's reference, for which there
 * are indexes; and of the last 31 days by the client's reference, IBAN or amount in riyals.
 *
 * @returns also whether it searched all orders of these days; of very many it searches the newest
 */
export async function searchCell(
  database: Database,
  query: SearchQuery,
): Promise<{ readonly hits: readonly Hit[]; readonly isWhole: boolean }> {
  const named = await findNamed(database, query);
  // An id of ours is nobody's reference.
  if (/^(?:ord|qt|evt|wd|fund)_/.test(query.text)) return { hits: named, isWhole: true };
  const recent = await findRecent(database, query);
  const known = new Set(named.map(({ id }) => id));
  return {
    hits: [...named, ...recent.hits.filter(({ id }) => !known.has(id))],
    isWhole: recent.isWhole,
  };
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
    from partners p join accounts a using (partner_id) cross join lateral (
      select resource_id from idempotency_keys k
      where k.partner_id = p.partner_id and k.key_hash = short_hash(${text}::text)
        and k.resource_kind = 'withdrawal') as known
    order by p.partner_id limit ${MOST}::integer`;
}

/** Finds what is in no index, within the last days. */
async function findRecent(database: Database, { text, may, nowMs }: SearchQuery) {
  const fromMs = nowMs - SEARCHED_DAYS * 86_400_000;
  const amount = amountOf(text);
  const iban = readIban(text);
  const references = { clientReference: text };
  const searches: Promise<{ hits: readonly Hit[]; isWhole: boolean }>[] = [];
  const search = <T extends { id: string; clientId: string }>(
    kind: "order" | "withdrawal" | "funding",
    prefix: IdPrefix,
    find: (page: FilterOfAll) => Promise<PartOfAll<T>>,
    itemOf: (item: T) => Pick<Hit, "amountHalalas" | "atMs">,
  ) =>
    searches.push(
      everyPart(prefix, (before) => find({ limit: MOST, fromMs, before }))
        .then(({ found, isWhole }) => ({
          isWhole,
          hits: found.map((item) => ({
            kind,
            id: item.id,
            clientId: item.clientId,
            isExact: true,
            ...itemOf(item),
          })),
        })),
    );
  if (may("trade.read")) {
    for (const by of [references, ...amount ? [{ totalHalalas: amount }] : []]) {
      search("order", "ord", (page) => listTrades(database, { ...page, ...by }), (order) => ({
        amountHalalas: order.totalHalalas,
        atMs: order.executedAtMs,
      }));
    }
    if (amount) {
      const by = { amountHalalas: amount };
      search(
        "funding",
        "fund",
        (page) => listFundings(database, { ...page, ...by }),
        (funding) => ({
          amountHalalas: funding.amountHalalas,
          atMs: funding.createdAtMs,
        }),
      );
    }
  }
  if (may("withdrawal.read")) {
    const filters = [
      references,
      ...amount ? [{ amountHalalas: amount }] : [],
      ...iban.ok ? [{ iban: iban.value }] : [],
    ];
    for (const by of filters) {
      search(
        "withdrawal",
        "wd",
        (page) => listWithdrawalsOfAll(database, { ...page, ...by }),
        (withdrawal) => ({
          amountHalalas: withdrawal.amountHalalas,
          atMs: withdrawal.createdAtMs,
        }),
      );
    }
  }
  const all = await Promise.all(searches);
  return {
    hits: all.flatMap(({ hits }) => hits),
    isWhole: all.every(({ isWhole }) => isWhole),
  };
}

/** Reads parts of a list until enough is found, the list ends, or as many parts were searched as may be. */
async function everyPart<T>(
  prefix: IdPrefix,
  read: (before: string | undefined) => Promise<PartOfAll<T>>,
): Promise<{ found: T[]; isWhole: boolean }> {
  const found: T[] = [];
  let before: string | undefined;
  for (let part = 0; part < PARTS && found.length < MOST; part++) {
    const { data, next } = await read(before);
    found.push(...data);
    if (next === undefined) return { found, isWhole: true };
    before = parseId(prefix, next);
  }
  return { found, isWhole: false };
}

/** Reads an amount in riyals as people write it, `25,000.50`; returns halalas as text, undefined for none. */
function amountOf(text: string): string | undefined {
  const amount = parseHalalas(text.replace(/^SAR\s*|\s*SAR$|,(?=[0-9]{3}\b)/gi, ""));
  return amount.ok ? String(amount.value) : undefined;
}

const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
