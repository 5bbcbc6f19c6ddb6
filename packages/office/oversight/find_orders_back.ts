import { formatId, formatTime } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { idAt, SLACK_MS } from "@sabika/service/lists";
import type { Hit } from "./hit.ts";

const HOUR_MS = 3_600_000;
/** About how long the orders of a page are searched. */
const SEARCH_MS = 80;
/** How much longer each part of the past may be than the one after it. */
const GROWTH = 4;

/** Orders that a search found, and the time back to which it searched, if not all. */
export interface OrdersFound {
  readonly hits: readonly Hit[];
  readonly sinceMs?: number | undefined;
}

/** What is searched for, and how far. */
interface OrderSearch {
  readonly text: string;
  /** Halalas as text; undefined if the text is no amount. */
  readonly amount: string | undefined;
  /** Epoch milliseconds, of each. */
  readonly now: () => number;
  readonly beforeMs?: number | undefined;
  readonly backToMs: number;
  /** How many are found at most, or a few more. */
  readonly limit: number;
}

/**
 * Finds orders by the client's reference or the total, which no index has: it reads the newest hour, and then ever longer
 * parts of the past, as long as the time for it lasts.
 *
 * @returns also the time back to which it searched, unless it searched all or found enough
 */
export async function findOrdersBack(
  database: Database,
  search: OrderSearch,
): Promise<OrdersFound> {
  const { now, beforeMs, backToMs, limit } = search;
  const startMs = now();
  const hits: Hit[] = [];
  let toMs = beforeMs ?? startMs;
  let spanMs = HOUR_MS;
  while (toMs > backToMs) {
    const leftMs = startMs + SEARCH_MS - now();
    if (hits.length >= limit) return { hits };
    if (leftMs <= 0) return { hits, sinceMs: toMs };
    const fromMs = Math.max(backToMs, toMs - spanMs);
    const askedMs = now();
    // The first part has what comes meanwhile too, by any server's clock.
    const untilMs = beforeMs === undefined && toMs === startMs ? toMs + HOUR_MS : toMs;
    hits.push(...await findIn(database, search, fromMs, untilMs));
    const tookMs = Math.max(1, now() - askedMs);
    // As much as the time left allows, by what this part took.
    spanMs *= Math.min(GROWTH, Math.max(0.25, (leftMs - tookMs) / tookMs));
    toMs = fromMs;
  }
  return { hits };
}

async function findIn(
  { sql }: Database,
  { text, amount, limit }: OrderSearch,
  fromMs: number,
  toMs: number,
): Promise<Hit[]> {
  const rows = await sql<{ id: string; clientId: string; total: bigint; ms: number }[]>`
    select f.order_id as id, client_id as "clientId", total_halalas as total,
      (extract(epoch from executed_at) * 1000)::float8 as ms
    from partners p join accounts a using (partner_id) cross join lateral (
      select order_id, total_halalas, executed_at from orders o
      where o.partner_id = p.partner_id
        and o.order_id >= ${idAt(fromMs - SLACK_MS)} and o.order_id < ${idAt(toMs + SLACK_MS)}
        and o.executed_at >= ${formatTime(fromMs)}::timestamptz
        and o.executed_at < ${formatTime(toMs)}::timestamptz
        and (o.client_reference = ${text} or o.total_halalas = ${amount ?? null}::bigint)
      order by order_id desc limit ${limit}::integer
    ) f
    order by f.order_id desc limit ${limit}::integer`;
  return rows.map(({ id, clientId, total, ms }) => ({
    kind: "order",
    id: formatId("ord", id),
    clientId,
    isExact: true,
    amountHalalas: BigInt(total),
    atMs: ms,
  }));
}
