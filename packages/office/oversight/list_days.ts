import type { Statement } from "@sabika/protocol";
import type { Reading } from "@sabika/service/trading";

/** A partner's day: the balances that it began and ended with, and how many entries it has. */
export interface DaysBalances extends Omit<Statement, "entries"> {
  readonly count: number;
}

/** The most days of one list: each is computed from the ledger. */
export const MOST_DAYS = 31;

/**
 * Lists a partner's days up to `until`, newest first; days that have not begun are left out.
 *
 * @param query.until the last day, a date of Riyadh: `2026-11-20`
 * @param query.days how many, at most {@linkcode MOST_DAYS}
 */
export async function listDays(
  reading: Reading,
  { partnerId, until, days }: { partnerId: number; until: string; days: number },
): Promise<DaysBalances[]> {
  const lastMs = Date.parse(`${until}T00:00:00.000Z`);
  const found: DaysBalances[] = [];
  for (let n = 0; n < days; n++) {
    const day = new Date(lastMs - n * 86_400_000).toISOString().slice(0, 10);
    const statement = await reading.statement({ partnerId, day });
    if (statement === undefined) continue;
    const { date, provisional, opening, closing, count } = statement;
    found.push({ date, provisional, opening, closing, count: Number(count) });
  }
  return found;
}
