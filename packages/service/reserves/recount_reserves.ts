import {
  encodeBase64Url,
  encodeUtf8,
  readReserve,
  RESERVE,
  RESERVE_SIGNATURE,
  RESERVE_TYPE,
} from "@sabika/protocol";
import { type AnySql, type Database, mapConcurrently } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";
import type { Difference } from "../ledger/reconcile.ts";
import { importReceiptKeys, judgeKeptJws } from "../receipts/kept_jws.ts";
import { changedBalances, endOfDay, readPools } from "./make_reserves.ts";

/** Where reserves are recounted: in control, against the balances of all cells with control's own. */
export interface ReservesToRecount {
  readonly control: Pick<Database, "sql">;
  readonly cells: readonly Pick<Database, "sql">[];
  /** All reserves, not only the last and those since the last recount that was kept. */
  readonly whole: boolean;
}

interface KeptReserve {
  readonly day: string;
  readonly body: string;
  readonly hash: string;
  readonly previous: string | null;
  readonly bank: bigint | null;
  /** The operator's signature; null while the signer is away. */
  readonly jws: string | null;
  /** What the audit log has of it; null for nothing. */
  readonly logged: string | null;
}

/**
 * Makes reserves again from the rows that they are of, and compares them byte for byte; also what their commitments
 * hide with the transfers, their hashes with the audit log, and the operator's signatures (Decision D108).
 */
export async function recountReserves(
  { control: { sql }, cells, whole }: ReservesToRecount,
): Promise<Difference[]> {
  const reserves = await readKept(sql, whole);
  if (reserves.length === 0) return [];
  const keys = await importReceiptKeys(await readReceiptKeys(sql));
  const differences: Difference[] = [];
  const report = (day: string, fault: string, partnerId: number | null = null) =>
    differences.push({
      check: "reserves",
      partnerId,
      subject: `${day}: ${fault}`,
      expected: 1n,
      actual: 0n,
    });
  const balances = await readBalances(cells, reserves.at(-1)!.day);
  // Of a partner that is moving nobody knows where its rows are.
  const moving = await sql<{ partnerId: number }[]>`
    select partner_id as "partnerId" from partner_moves where ended_at is null`;
  const isMoving = (partnerId: number) => moving.some((move) => move.partnerId === partnerId);
  const [may] = await sql<{ open: boolean }[]>`
    select has_function_privilege('recount_openings(date)', 'execute') as open`;
  // From the last to the first, as balances are counted back from those of now.
  for (const reserve of reserves) {
    const { day, hash, jws, logged } = reserve;
    if (logged !== hash) report(day, "not as the audit log says");
    const signed = RESERVE_SIGNATURE.write({ day, hash, signer: "operator" });
    const payloads = [encodeBase64Url(encodeUtf8(signed))];
    const fault = jws !== null && await judgeKeptJws(jws, { typ: RESERVE_TYPE, keys, payloads });
    if (fault) report(day, `signature ${fault}`);
    balances.backTo(day);
    if (!may!.open) continue;
    const openings = await readOpenings(sql, day);
    const inTransit = moving.length === 0 ? balances.inTransit() : undefined;
    if (await textOf(sql, reserve, openings, inTransit) !== reserve.body) report(day, "differs");
    for (const { partnerId, pool, cash, gold } of openings) {
      if (isMoving(partnerId)) continue;
      const at = balances.of(partnerId);
      const pairs = [["cash", at.cash, cash], ["gold", at.gold, gold]] as const;
      for (const [what, expected, actual] of pairs) {
        if (expected === actual) continue;
        const subject = `${what} of ${day}`;
        differences.push({ check: "reserves", partnerId, subject, expected, actual });
      }
      if (gold !== 0n && pool !== at.pool) report(day, "another pool", partnerId);
    }
  }
  return differences;
}

/** The reserves, from the last to the first. */
async function readKept(sql: AnySql, whole: boolean): Promise<KeptReserve[]> {
  return await sql<KeptReserve[]>`
    select to_char(r.day, 'YYYY-MM-DD') as day, r.body, r.hash, b.hash as previous, bank.amount_halalas as bank,
      (select jws from reserve_signatures s where s.day = r.day and s.signer = 'operator') as jws, l.logged
    from reserves r left join reserves b on b.day = r.day - 1 left join reserve_banks bank on bank.day = r.day
    left join (select detail::jsonb ->> 'day' as day, detail::jsonb ->> 'sha256' as logged from audit_log
      where action = 'reserve.made') l on l.day = to_char(r.day, 'YYYY-MM-DD')
    where ${whole} or r.made_at >= coalesce((select min(since) from recounts), '-infinity') or r.day = (select max(day) from reserves)
    order by r.day desc`;
}

interface Opening {
  readonly partnerId: number;
  readonly pool: string;
  readonly cash: bigint;
  readonly gold: bigint;
  readonly commitment: string;
}

/** What the commitments of a day hide, and these made again, in their order. */
async function readOpenings(sql: AnySql, day: string): Promise<Opening[]> {
  return await sql<Opening[]>`
    select partner as "partnerId", pool, cash, gold, commitment
    from recount_openings(${day}::text::date) order by commitment collate "C"`;
}

async function textOf(
  sql: AnySql,
  { day, body, previous, bank }: KeptReserve,
  openings: readonly Opening[],
  inTransit: bigint | undefined,
): Promise<string | undefined> {
  const pools = await readPools(sql, endOfDay(day));
  let stated;
  try {
    stated = readReserve(body);
  } catch {
    return undefined;
  }
  return RESERVE.write({
    day,
    previous,
    cash: {
      bankHalalas: bank,
      inTransitHalalas: inTransit ?? stated.cash.inTransitHalalas,
      obligationsHalalas: sum(openings.map(({ cash }) => cash)),
    },
    commitments: openings.map(({ commitment }) => commitment),
    // A pool that was made later is not in it.
    pools: pools.filter(({ id, version }) =>
      version !== null || stated.pools.some((pool) => pool.id === id)
    ).map(({ poolNumber: _, ...pool }) => ({
      ...pool,
      obligationsMicrograms: sum(
        openings.flatMap((opening) => opening.pool === pool.id ? opening.gold : []),
      ),
    })),
  });
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

interface Moved {
  readonly partnerId: number;
  /** Null: the balances of now. */
  readonly day: string | null;
  readonly cash: bigint;
  readonly inTransit: bigint;
  readonly gold: bigint;
  /** Of the day's first order; null if there was none. */
  readonly pool: string | null;
}

/** The balances of all partners, counted back from those of now, day by day in Riyadh. */
async function readBalances(cells: readonly Pick<Database, "sql">[], first: string) {
  const moved = (await mapConcurrently(cells, ({ sql }) => readMoved(sql, first))).flat();
  const now = new Map(moved.filter(({ day }) => day === null).map((row) => [row.partnerId, row]));
  const days = moved.filter(({ day }) => day !== null).sort((a, b) => a.day! < b.day! ? 1 : -1);
  const none = { cash: 0n, inTransit: 0n, gold: 0n, pool: null };
  let next = 0;
  return {
    /** Goes back to the end of a day that is earlier than the last. */
    backTo(day: string) {
      for (; next < days.length && days[next]!.day! > day; next++) {
        const { partnerId, cash, inTransit, gold, pool } = days[next]!;
        const at = now.get(partnerId)!;
        now.set(partnerId, {
          ...at,
          cash: at.cash - cash,
          inTransit: at.inTransit - inTransit,
          gold: at.gold - gold,
          // A pool changes only without gold (Decision D102).
          pool: pool ?? at.pool,
        });
      }
    },
    of: (partnerId: number) => now.get(partnerId) ?? none,
    inTransit: () => sum(Array.from(now.values(), ({ inTransit }) => inTransit)),
  };
}

async function readMoved(sql: AnySql, first: string): Promise<Moved[]> {
  return await sql<Moved[]>`
    select partner_id as "partnerId", null as day, cash_halalas as cash, withdrawals_halalas as "inTransit",
      gold_micrograms as gold, pool_id as pool from accounts left join pools using (pool_number)
    union all
    select d.partner_id, d.day, d.cash, d.withdrawals, d.gold, v.pool_id
    from (
      select a.partner_id, to_char(t.posted_at + interval '3 hours', 'YYYY-MM-DD') as day,
        ${changedBalances(sql)},
        min(t.number) filter (where 'gold' in (t.credit_account, t.debit_account)) as first_of_gold
      from accounts a
      cross join lateral (select first_transfer_at(a.partner_id,
        (${first}::text::date + 1)::timestamp at time zone 'UTC' - interval '3 hours') as number offset 0) f
      join transfers t on t.partner_id = a.partner_id and t.number >= f.number
      group by 1, 2
    ) d
    left join transfers t on t.partner_id = d.partner_id and t.number = d.first_of_gold
    left join orders o on o.partner_id = t.partner_id and o.order_id = t.source_id
    left join pool_versions v on v.version_id = o.pool_version_id`;
}
