import {
  commitBalances,
  encodeHex,
  formatTime,
  RESERVE,
  type Reserve,
  type ReservePool,
} from "@sabika/protocol";
import {
  type AnySql,
  type Database,
  mapConcurrently,
  plainArray,
  textArray,
} from "@sabika/database";
import { RIYADH_OFFSET_MS, riyadhDay } from "@sabika/terms";
import { readLastCounts } from "../vault/last_counts.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** A day is closed an hour after its end, which is more than orders take; its reserve waits for the bank's balance. */
const CLOSED_AFTER_MS = HOUR_MS;
const BANK_AWAITED_MS = 12 * HOUR_MS;
/** No statement may take long, however late a reserve is. */
const TRANSFERS_AT_ONCE = 100_000n;

/** Where reserves are made: in control, of all cells with control's own. */
export interface ReserveCells {
  readonly control: Pick<Database, "sql">;
  readonly cells: readonly Pick<Database, "sql">[];
  readonly random: (length: number) => Uint8Array;
}

interface PartnerBalances {
  readonly partnerId: number;
  readonly partner: string;
  readonly poolNumber: number;
  readonly cashHalalas: bigint;
  readonly inTransitHalalas: bigint;
  readonly goldMicrograms: bigint;
}

/**
 * Makes the reserves of the days that have none, oldest first (Decision D105): of a day for which the bank's balance
 * was entered an hour after its end, of others twelve hours after it. The first is that of the last day that ended.
 * Several instances may do this at once.
 *
 * @param nowMs by the database's clock
 * @param transfersAtOnce how many transfers one statement counts back at most
 * @returns how many it made, and from when on there may be more to make, in epoch milliseconds
 * @throws the error of a cell that does not answer, or an error while a partner is moving; both are made later
 */
export async function makeReserves(
  parts: ReserveCells,
  nowMs: number,
  transfersAtOnce = TRANSFERS_AT_ONCE,
): Promise<{ made: number; nextMs: number }> {
  for (let made = 0;; made++) {
    const [last] = await parts.control.sql<{ next: string; hash: string }[]>`
      select to_char(day + 1, 'YYYY-MM-DD') as next, hash from reserves order by day desc limit 1`;
    const day = last?.next ?? riyadhDay(nowMs - CLOSED_AFTER_MS - DAY_MS);
    const endMs = endOfDay(day);
    if (nowMs < endMs + CLOSED_AFTER_MS) return { made, nextMs: endMs + CLOSED_AFTER_MS };
    const [bank] = await parts.control.sql<{ amountHalalas: bigint }[]>`
      select amount_halalas as "amountHalalas" from reserve_banks where day = ${day}::text::date`;
    if (bank === undefined && nowMs < endMs + BANK_AWAITED_MS) return { made, nextMs: nowMs };
    const frame = { day, endMs, previous: last?.hash ?? null, bank: bank?.amountHalalas ?? null };
    if (!await makeReserve(parts, frame, transfersAtOnce)) return { made, nextMs: nowMs };
  }
}

/** When a day such as `2026-11-20` ends in Riyadh, epoch milliseconds. */
export const endOfDay = (day: string): number => Date.parse(day) + DAY_MS - RIYADH_OFFSET_MS;

async function makeReserve(
  { control: { sql }, cells, random }: ReserveCells,
  { day, endMs, previous, bank }: {
    day: string;
    endMs: number;
    previous: string | null;
    bank: bigint | null;
  },
  transfersAtOnce: bigint,
): Promise<boolean> {
  const partners =
    (await mapConcurrently(cells, (cell) => readBalances(cell.sql, endMs, transfersAtOnce))).flat();
  const pools = await readPools(sql, endMs);
  const poolOf = new Map(pools.map(({ poolNumber, id }) => [poolNumber, id]));
  const opened = partners.map((partner) => ({
    ...partner,
    day,
    pool: poolOf.get(partner.poolNumber)!,
    salt: encodeHex(random(32)),
  }));
  const reserve: Reserve = {
    day,
    previous,
    cash: {
      bankHalalas: bank,
      inTransitHalalas: sum(opened.map(({ inTransitHalalas }) => inTransitHalalas)),
      obligationsHalalas: sum(opened.map(({ cashHalalas }) => cashHalalas)),
    },
    commitments: (await Promise.all(opened.map(commitBalances))).sort(),
    pools: pools.map(({ poolNumber: _, ...pool }) => ({
      ...pool,
      obligationsMicrograms: sum(
        opened.flatMap((one) => one.pool === pool.id ? one.goldMicrograms : []),
      ),
    })),
  };
  const [kept] = await sql<{ kept: boolean }[]>`select keep_reserve(${day}::text::date,
    ${RESERVE.write(reserve)}::text,
    ${plainArray(opened.map(({ partnerId }) => partnerId))}::integer[],
    ${textArray(opened.map(({ pool }) => pool))}::text[],
    ${plainArray(opened.map(({ cashHalalas }) => cashHalalas))}::bigint[],
    ${plainArray(opened.map(({ goldMicrograms }) => goldMicrograms))}::bigint[],
    ${plainArray(opened.map(({ salt }) => salt))}::text[]) as kept`;
  return kept!.kept;
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

/** The balances of a cell's partners right before a moment: those of now less the transfers since. */
async function readBalances(
  sql: AnySql,
  endMs: number,
  transfersAtOnce: bigint,
): Promise<PartnerBalances[]> {
  const accounts = await sql<(PartnerBalances & { first: bigint; last: bigint })[]>`
    select partner as "partnerId", client as partner, pool::integer as "poolNumber", cash as "cashHalalas",
      in_transit as "inTransitHalalas", gold as "goldMicrograms", first_since as first, last_since as last
    from accounts_since(${formatTime(endMs)}::timestamptz) order by 1`;
  const balances: PartnerBalances[] = [];
  for (const { first, last, ...account } of accounts) {
    let at = account;
    for (let number = first; number <= last; number += transfersAtOnce) {
      const end = number + transfersAtOnce;
      const since = await sumTransfers(sql, at.partnerId, number, end > last ? last + 1n : end);
      at = {
        ...at,
        cashHalalas: at.cashHalalas - since.cash,
        inTransitHalalas: at.inTransitHalalas - since.withdrawals,
        goldMicrograms: at.goldMicrograms - since.gold,
      };
    }
    balances.push(at);
  }
  return balances;
}

/** What transfers `t` changed of a partner's accounts, as columns. */
export const changedBalances = (sql: AnySql) =>
  sql`
    coalesce(sum(case 'cash' when t.credit_account then t.amount when t.debit_account then -t.amount end), 0)::bigint as cash,
    coalesce(sum(case 'withdrawals' when t.credit_account then t.amount when t.debit_account then -t.amount end), 0)::bigint as withdrawals,
    coalesce(sum(case 'gold' when t.credit_account then t.amount when t.debit_account then -t.amount end), 0)::bigint as gold`;

/**
 * Sums what a partner's transfers of the numbers from `first` to before `end` changed.
 *
 * @throws Error if not all are here, as the partner moved away meanwhile
 */
async function sumTransfers(
  sql: AnySql,
  partnerId: number,
  first: bigint,
  end: bigint,
): Promise<{ cash: bigint; withdrawals: bigint; gold: bigint }> {
  const [sums] = await sql<{ found: bigint; cash: bigint; withdrawals: bigint; gold: bigint }[]>`
    select count(*) as found, ${changedBalances(sql)}
    from transfers t where t.partner_id = ${partnerId}::integer
      and t.number >= ${first}::bigint and t.number < ${end}::bigint`;
  if (sums!.found !== end - first) {
    throw new Error(`partner ${partnerId} has not all transfers from ${first} to ${end - 1n} here`);
  }
  return sums!;
}

/** Reads the pools with their versions at a moment, sorted by id as `<` compares. */
export async function readPools(
  sql: AnySql,
  endMs: number,
): Promise<(Omit<ReservePool, "obligationsMicrograms"> & { poolNumber: number })[]> {
  const rows = await sql<
    { poolNumber: number; id: string; version: number | null; fineMicrograms: bigint }[]
  >`
    select p.pool_number::integer as "poolNumber", p.pool_id as id, v.number as version,
      coalesce(v.fine_micrograms, 0)::bigint as "fineMicrograms"
    from pools p left join lateral (select number, fine_micrograms from pool_versions v
      where v.pool_id = p.pool_id and v.made_at < ${formatTime(endMs)}::timestamptz
      order by number desc limit 1) v on true
    order by p.pool_id collate "C"`;
  const countAt = await readLastCounts(sql, { fromMs: endMs, toMs: endMs });
  return rows.map((row) => ({ ...row, count: countAt(row.id, endMs) }));
}
