import type { Account, Asset } from "@sabika/protocol";
import type { AnySql, Sql } from "@sabika/database";
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

/** A partner whose balances are not the sums of its transfers. */
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

/**
 * Compares every partner's balances with the sums of its transfers (invariant I3, fault F26), one
 * instance at a time. What was counted once is kept as a checkpoint, which only moves forward, so a
 * round costs as much as the transfers since the last one.
 *
 * @param options.atLeastSecondsApart the least time since the last round, of whichever instance
 * @param options.size for tests: the bounds of one round
 * @returns those that are wrong; undefined when it is not this instance's turn
 */
export async function checkBalances(
  sql: Sql,
  options: { atLeastSecondsApart?: number; size?: RoundSize } = {},
): Promise<WrongBalances[] | undefined> {
  const { atLeastSecondsApart = 0, size = ROUND } = options;
  return await sql.begin(async (tx) => {
    const [turn] = await tx<{ isOurs: boolean }[]>`
      select take_balance_round(${atLeastSecondsApart}::float8) as "isOurs"`;
    if (!turn!.isOurs) return undefined;
    const wrong = new Map<number, WrongBalances>();
    for (let after: number | null = -1; after !== null;) {
      let page = await checkPage(tx, after, size);
      keep(page.wrong);
      for (let step = 1; page.isBehind && step < size.steps; step++) {
        page = await checkPage(tx, after, size);
        keep(page.wrong);
      }
      after = page.last;
    }
    return [...wrong.values()];

    function keep(found: readonly WrongBalances[]): void {
      for (const partner of found) {
        const isNew = wrong.get(partner.partnerId)?.isNew ?? partner.isNew;
        wrong.set(partner.partnerId, { ...partner, isNew });
      }
    }
  });
}

interface Row {
  partner: number;
  isBehind: boolean;
  isWrong: boolean;
  isNew: boolean;
  /** Account, what its transfers come to, what its balance is. */
  differences: [BalanceDifference["subject"], string, string][] | null;
}

async function checkPage(
  sql: AnySql,
  after: number,
  size: RoundSize,
): Promise<{ last: number | null; isBehind: boolean; wrong: WrongBalances[] }> {
  const rows = await sql<Row[]>`
    select partner, is_behind as "isBehind", is_wrong as "isWrong", is_new as "isNew", differences
    from check_balances(${after}::integer, null, ${size.partners}::integer,
      ${size.transfers}::bigint)`;
  return {
    last: rows.length < size.partners ? null : rows.at(-1)!.partner,
    isBehind: rows.some(({ isBehind }) => isBehind),
    wrong: rows.filter(({ isWrong }) => isWrong).map(({ partner, isNew, differences }) => ({
      partnerId: partner,
      isNew,
      differences: (differences ?? []).map(([subject, expected, actual]) => ({
        subject,
        asset: subject === "transfers" ? null : ACCOUNT_COLUMNS[subject].asset,
        expected: BigInt(expected),
        actual: BigInt(actual),
      })),
    })),
  };
}
