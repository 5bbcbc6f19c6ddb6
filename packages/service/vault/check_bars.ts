import { type AnySql, drizzle } from "@sabika/database";
import { type Bar, checkBar, type NewBar } from "./bars.ts";
import { inVault, isCounted, noSuchBar, NOT_RELEASED } from "./change_bars.ts";
import { checkRefiners } from "./refiners.ts";
import { vaultBars } from "./tables.ts";

/** A bar that is to leave, as far as it is in the vault, and why it cannot. */
export interface LeavingBar {
  readonly serial: string;
  readonly bar: Bar | undefined;
  readonly detail: string | undefined;
}

/**
 * Says of each of several new bars why `vault.bars.add` would refuse it; undefined where it would not. It takes a
 * moment, so the act itself looks again.
 *
 * @param leaving the serials of bars that leave with the same act
 */
export async function checkNewBars(
  sql: AnySql,
  bars: readonly NewBar[],
  leaving: readonly string[] = [],
): Promise<(string | undefined)[]> {
  const serials = bars.map(({ serial }) => serial);
  const known = new Set((await findBars(sql, serials)).map(({ serial }) => serial));
  const unlisted = await checkRefiners(sql, bars);
  const seen = new Set<string>();
  return bars.map((bar, at) => {
    const { serial } = bar;
    const isTwice = seen.has(serial);
    seen.add(serial);
    return checkBar(bar) ??
      (isTwice
        ? `the bar ${serial} is there twice`
        : leaving.includes(serial)
        ? `the bar ${serial} would replace itself`
        : known.has(serial)
        ? `the bar ${serial} is in the vault already`
        : unlisted[at]);
  });
}

/** Finds the bars that are to leave the vault together, and says of each why it cannot. */
export async function checkLeavingBars(
  sql: AnySql,
  serials: readonly string[],
): Promise<LeavingBar[]> {
  const found = new Map((await findBars(sql, serials)).map((bar) => [bar.serial, bar]));
  const pool = serials.map((serial) => found.get(serial)?.poolId).find(Boolean);
  return serials.map((serial, at) => {
    const bar = found.get(serial);
    const detail = serials.indexOf(serial) !== at
      ? `the bar ${serial} is there twice`
      : bar === undefined
      ? noSuchBar(serial).detail
      : bar.poolId !== pool
      ? "bars of one pool are replaced together"
      : isCounted(bar)
      ? undefined
      : NOT_RELEASED;
    return { serial, bar, detail };
  });
}

async function findBars(sql: AnySql, serials: readonly string[]): Promise<Bar[]> {
  return await drizzle(sql).select().from(vaultBars).where(inVault(serials));
}
