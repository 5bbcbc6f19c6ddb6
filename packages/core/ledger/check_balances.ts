import type { Account, Asset } from "@sabika/protocol";
import type { Sql } from "../store/database.ts";
import type { AnySql } from "../store/sql.ts";
import { ACCOUNT_COLUMNS } from "./account_columns.ts";

/** A balance that is not the sum of its transfers. */
export interface BalanceDifference {
  /** `transfers` when not a balance but the number of transfers is wrong. */
  readonly subject: Account | "transfers";
  readonly asset: Asset | null;
  /** What the transfers come to: halalas or micrograms. */
  readonly expected: bigint;
  readonly actual: bigint;
}

export interface WrongBalances {
  readonly partnerId: number;
  readonly differences: readonly BalanceDifference[];
  /** False when the round before has found it already. */
  readonly isNew: boolean;
}

/** Bounds of the work of one statement and of one round, so that neither takes long. */
export interface RoundSize {
  partners: number;
  /** Transfers a partner and statement. */
  transfers: number;
  /** Statements for each page of partners; who has more transfers is compared in a later round. */
  steps: number;
}

const ROUND: RoundSize = { partners: 50, transfers: 20_000, steps: 50 };

const ACCOUNTS = (Object.keys(ACCOUNT_COLUMNS) as Account[])
  .map((account) => ({ account, ...ACCOUNT_COLUMNS[account] }));

/**
 * Compares every partner's balances with the sums of its transfers (invariant I3, fault F26), one
 * instance at a time. What was counted once is kept as a checkpoint, which only moves forward, so a
 * round costs as much as the transfers since the last one.
 *
 * The row of `balance_round` is the lock: an advisory lock would exclude nobody in the embedded
 * database, which is one session for all. The row also says when the last round was.
 *
 * @param options.atLeastSecondsApart the least time since the last round, of whichever instance
 * @returns those that are wrong; undefined when it is not this instance's turn
 */
export async function checkBalances(
  sql: Sql,
  options: { atLeastSecondsApart?: number; size?: RoundSize } = {},
): Promise<WrongBalances[] | undefined> {
  const { atLeastSecondsApart = 0, size = ROUND } = options;
  return await sql.begin(async (tx) => {
    const turn = await tx`
      select 1 from balance_round where finished_at is null
        or abs(extract(epoch from clock_timestamp() - finished_at)) >= ${atLeastSecondsApart}::float8
      for update skip locked`;
    if (turn.length === 0) return undefined;
    await tx`set local jit = off`;
    const wrong = new Map<number, WrongBalances>();
    for (let after: number | null = -1; after !== null;) {
      let page = await checkPage(tx, { after, only: null, size });
      keep(page.wrong);
      for (let step = 1; page.isBehind && step < size.steps; step++) {
        page = await checkPage(tx, { after, only: null, size });
        keep(page.wrong);
      }
      after = page.last;
    }
    await tx`update balance_round set finished_at = clock_timestamp()`;
    return [...wrong.values()];

    function keep(found: readonly WrongBalances[]): void {
      for (const one of found) {
        const isNew = wrong.get(one.partnerId)?.isNew ?? one.isNew;
        wrong.set(one.partnerId, { ...one, isNew });
      }
    }
  });
}

/** Compares one partner's balances, as the caller's transaction sees them. */
export async function findBalanceDifferences(
  sql: AnySql,
  partnerId: number,
): Promise<readonly BalanceDifference[]> {
  const { wrong } = await checkPage(sql, { after: -1, only: partnerId, size: ROUND });
  return wrong[0]?.differences ?? [];
}

type Row = Record<string, bigint> & {
  partnerId: number;
  isBehind: boolean;
  isWrong: boolean;
  isNew: boolean;
};

/**
 * One statement, and so one snapshot, in which a partner's accounts row and transfers belong
 * together: trading under way never appears as a difference.
 */
async function checkPage(
  sql: AnySql,
  { after, only, size }: { after: number; only: number | null; size: RoundSize },
): Promise<{ last: number | null; isBehind: boolean; wrong: WrongBalances[] }> {
  const columns = ACCOUNTS.map(({ column }) => column);
  const list = (write: (column: string, account: string, asset: string) => string) =>
    sql.unsafe(
      ACCOUNTS.map(({ asset, account, column }) => write(column, account, asset)).join(
        ",\n        ",
      ),
    );
  const rows = await sql<Row[]>`
    with page as materialized (
      select a.*, coalesce(c.up_to, 0) as up_to, c.differs_since,
        ${list((column) => `coalesce(c.${column}, 0) as ${column}_before`)}
      from (
        select * from accounts
        where partner_id > ${after}::integer and (${only}::integer is null or partner_id = ${only})
        order by partner_id limit ${size.partners}::integer
      ) a left join balance_checkpoints c using (partner_id)
    ), counted as materialized (
      select page.*, t.n, t.n = ${size.transfers}::bigint and up_to + t.n < last_transfer
          and t.last = up_to + t.n as is_behind,
        t.last <> up_to + t.n as has_gap,
        ${list((column) => `(${column}_before + t.${column}_since)::bigint as ${column}_sum`)}
      from page, lateral (
        select coalesce(sum(n), 0)::bigint as n, coalesce(max(last), up_to) as last,
        ${
    list((column, account, asset) =>
      `coalesce(sum(amount) filter (where asset = '${asset}' and credit_account = '${account}'), 0)
          - coalesce(sum(amount) filter (where asset = '${asset}' and debit_account = '${account}'), 0)
          as ${column}_since`
    )
  }
        from (
          select asset, debit_account, credit_account, sum(amount) as amount, count(*) as n,
            max(number) as last
          from (
            select * from transfers t where t.partner_id = page.partner_id
              and t.number > page.up_to and t.number <= page.last_transfer
            order by t.number limit ${size.transfers}::bigint
          ) later group by 1, 2, 3
        ) grouped
      ) t
    ), judged as materialized (
      select *, not is_behind and (has_gap or up_to + n <> last_transfer
        or (${sql.unsafe(columns.join(", "))})
          <> (${sql.unsafe(columns.map((column) => `${column}_sum`).join(", "))})) as is_wrong
      from counted
    ), kept as (
      insert into balance_checkpoints (partner_id, up_to, ${
    sql.unsafe(columns.join(", "))
  }, differs_since)
      select partner_id, case when is_wrong then up_to else up_to + n end,
        ${list((column) => `case when is_wrong then ${column}_before else ${column}_sum end`)},
        case when is_wrong then coalesce(differs_since, clock_timestamp())
          when is_behind then differs_since end
      from judged
      where case when is_wrong then differs_since is null else n > 0 or differs_since is not null end
      on conflict (partner_id) do update set up_to = excluded.up_to,
        ${list((column) => `${column} = excluded.${column}`)},
        differs_since = excluded.differs_since
      where balance_checkpoints.up_to <= excluded.up_to
    )
    select partner_id as "partnerId", is_behind as "isBehind", is_wrong as "isWrong",
      differs_since is null as "isNew", (up_to + n)::bigint as "transfers_sum",
      last_transfer as "transfers",
      ${list((column) => `${column}, ${column}_sum`)}
    from judged order by partner_id`;
  return {
    last: rows.length < size.partners ? null : rows.at(-1)!.partnerId,
    isBehind: rows.some(({ isBehind }) => isBehind),
    wrong: rows.filter(({ isWrong }) => isWrong).map((row) => ({
      partnerId: row.partnerId,
      isNew: row.isNew,
      differences: differencesOf(row),
    })),
  };
}

function differencesOf(row: Row): BalanceDifference[] {
  const all = [
    { account: "transfers", asset: null, column: "transfers" } as const,
    ...ACCOUNTS,
  ];
  return all.map(({ account, asset, column }) => ({
    asset,
    subject: account,
    expected: row[`${column}_sum`]!,
    actual: row[column]!,
  })).filter(({ expected, actual }) => expected !== actual);
}
