import type { Account, Asset } from "@sabika/protocol";
import type { AnySql, Sql } from "@sabika/database";

/** The asset of each of a partner's accounts. */
const ASSETS: Readonly<Record<Account, Asset>> = {
  cash: "SAR",
  house_cash: "SAR",
  withdrawals: "SAR",
  bank: "SAR",
  vat: "SAR",
  gold: "XAU",
  allocation: "XAU",
  vault: "XAU",
};

/** A balance that is not the sum of its transfers. */
export interface BalanceDifference {
  /** `transfers` when the number of transfers is wrong instead of a balance. */
  readonly subject: Account | "transfers";
  readonly asset: Asset | null;
  /** The sum of the transfers: halalas or micrograms. */
  readonly expected: bigint;
  readonly actual: bigint;
}

/** A partner whose balances are not the sums of its transfers. */
export interface WrongBalances {
  readonly partnerId: number;
  readonly differences: readonly BalanceDifference[];
  /** False when the previous round found it already. */
  readonly isNew: boolean;
}

/** Bounds on the work of one statement and of one round, so that neither takes long. */
export interface RoundSize {
  partners: number;
  /** The most transfers of one partner that a statement sums. */
  transfers: number;
  /** Statements for each page of partners; partners with more transfers are finished in later rounds. */
  steps: number;
}

const ROUND: RoundSize = { partners: 50, transfers: 20_000, steps: 50 };

/**
 * Compares every partner's balances with the sums of its transfers (invariant I3, fault F26), one
 * instance at a time. What was summed is kept as a checkpoint, which only moves forward, so the cost of
 * a round grows with the transfers since the last one.
 *
 * @param options.atLeastSecondsApart the least time since the last round, of whichever instance
 * @param options.size for tests: the bounds of one round
 * @returns the partners whose balances are wrong; undefined when it is not this instance's turn
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
  /** Account, sum of its transfers, balance. */
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
        asset: subject === "transfers" ? null : ASSETS[subject],
        expected: BigInt(expected),
        actual: BigInt(actual),
      })),
    })),
  };
}
