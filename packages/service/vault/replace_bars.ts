import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { inTransaction } from "../audit/change.ts";
import { type NewBar, sumFine } from "./bars.ts";
import {
  type Changed,
  enterBars,
  finish,
  isCounted,
  NOT_RELEASED,
  takeBars,
} from "./change_bars.ts";
import { MAIN_POOL } from "./pool_versions.ts";

/** Records bars that arrived in a pool together: one version. */
export function addBars(
  admin: AdminContext,
  bars: readonly NewBar[],
  poolId: string = MAIN_POOL,
): Promise<AdminOutcome<Changed>> {
  return inTransaction(admin, async (sql) => {
    const entered = await enterBars(sql, admin, poolId, bars);
    if (!entered.ok) return entered;
    return await finish(sql, admin, "vault.bars.add", "add", entered.value, {
      serials: entered.value.map(({ serial }) => serial),
    });
  });
}

/**
 * Records that bars of a pool were replaced by others, in one version. The others have as much fine gold as those
 * that count, or more.
 *
 * @param replaced.serials the bars that leave, all of one pool
 * @returns the bars that came, and the version
 */
export function replaceBars(
  admin: AdminContext,
  replaced: { readonly serials: readonly string[]; readonly bars: readonly NewBar[] },
): Promise<AdminOutcome<Changed>> {
  const { serials, bars } = replaced;
  return inTransaction<Changed>(admin, async (sql) => {
    const same = bars.find(({ serial }) => serials.includes(serial));
    if (same !== undefined) {
      return refuse("invalid_amount", `the bar ${same.serial} would replace itself`);
    }
    const left = await takeBars(sql, admin, serials);
    if (!left.ok) return left;
    const [{ poolId } = { poolId: MAIN_POOL }, ...others] = left.value;
    if (others.some((bar) => bar.poolId !== poolId)) {
      return refuse("invalid_state", "bars of one pool are replaced together");
    }
    if (!left.value.every(isCounted)) {
      return refuse("invalid_state", NOT_RELEASED);
    }
    const entered = await enterBars(sql, admin, poolId, bars);
    if (!entered.ok) return entered;
    if (sumFine(entered.value) < sumFine(left.value)) {
      return refuse("insufficient_vault", "the new bars have less fine gold than the old ones");
    }
    return await finish(sql, admin, "vault.bar.replace", "replace", entered.value, {
      removed: [...serials],
      added: entered.value.map(({ serial }) => serial),
    });
  });
}
