import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { inTransaction } from "../audit/change.ts";
import { type Bar, isPlace, type NewBar, WRONG_PLACE } from "./bars.ts";
import {
  changeBar,
  enterBars,
  finish,
  isCounted,
  lockBar,
  noSuchBar,
  one,
  takeBars,
} from "./change_bars.ts";
import { MAIN_POOL } from "./pool_versions.ts";

/** Records a bar that arrived in the vault. */
export function addBar(
  admin: AdminContext,
  bar: NewBar,
  poolId: string = MAIN_POOL,
): Promise<AdminOutcome<Bar>> {
  return one(inTransaction(admin, async (sql) => {
    const entered = await enterBars(sql, admin, poolId, [bar]);
    if (!entered.ok) return entered;
    const { serial, refiner, finenessTenThousandths, place, document, ...weights } = entered
      .value[0]!;
    return await finish(sql, admin, "vault.bar.add", "add", entered.value, {
      serial,
      refiner,
      finenessTenThousandths,
      weightMicrograms: String(weights.weightMicrograms),
      fineMicrograms: String(weights.fineMicrograms),
      place,
      document,
    });
  }));
}

/** Records that a bar of the vault lies elsewhere; its pool's list says where. */
export function moveBar(
  admin: AdminContext,
  serial: string,
  place: string,
): Promise<AdminOutcome<Bar>> {
  if (!isPlace(place)) return Promise.resolve(refuse("invalid_setting", WRONG_PLACE));
  return one(inTransaction(admin, async (sql) => {
    const bar = await lockBar(sql, serial);
    if (bar === undefined) return noSuchBar(serial);
    const kind = isCounted(bar) && bar.place !== place ? "replace" : undefined;
    const bars = await changeBar(sql, serial, { place });
    return await finish(sql, admin, "vault.bar.move", kind, bars, { serial, place });
  }));
}

/** Records that a bar left the vault; refused while it backs allocations. */
export function removeBar(admin: AdminContext, serial: string): Promise<AdminOutcome<Bar>> {
  return one(inTransaction(admin, async (sql) => {
    const left = await takeBars(sql, admin, [serial]);
    if (!left.ok) return left;
    const kind = left.value.every(isCounted) ? "remove" : undefined;
    return await finish(sql, admin, "vault.bar.remove", kind, left.value, { serial });
  }));
}
