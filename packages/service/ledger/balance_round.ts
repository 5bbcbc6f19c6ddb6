import type { AnySql } from "@sabika/database";

/** What the latest round of `checkBalances` found. */
export interface BalanceRound {
  /** Partners whose balances are not the sums of their transfers. */
  readonly wrongBalances: number;
  /** Time since all balances were compared; undefined when they never were. */
  readonly ageSeconds: number | undefined;
}

/** Reads the outcome of the latest comparison of balances with transfers. */
export async function readBalanceRound(sql: AnySql): Promise<BalanceRound> {
  const [row] = await sql<{ wrong: number; age: number | null }[]>`
    select (select count(*)::int from balance_checkpoints where differs_since is not null) as wrong,
      extract(epoch from clock_timestamp() - finished_at)::float8 as age
    from balance_round`;
  return { wrongBalances: row!.wrong, ageSeconds: row!.age ?? undefined };
}
