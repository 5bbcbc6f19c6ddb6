import type { Sql } from "../store/database.ts";
import { writeAudit } from "../admin/audit.ts";
import { inTransaction } from "../admin/change.ts";
import type { AdminContext } from "../admin/admin_context.ts";
import { fromMoment, toMoment } from "../store/moments.ts";
import { type Done, done, refused } from "../admin/refused.ts";
import type { Transaction } from "../store/sql.ts";

/** A bar in the vault (Decision D39). */
export interface Bar {
  serial: string;
  refiner: string;
  /** Parts in ten thousand: 999.9 is 9999. */
  finenessTenThousandths: number;
  weightMicrograms: bigint;
}

/** What is sold is gold of 999.9 (Decision D9): a lesser bar backs nothing here. */
export const LEAST_FINENESS_TEN_THOUSANDTHS = 9_999;
/** The heaviest bar of the market is the 400 oz one, below 14 kg. */
const HEAVIEST_MICROGRAMS = 20_000_000_000n;

/** Records a bar that came into the vault. */
export async function addBar(admin: AdminContext, bar: Bar): Promise<Done<Bar>> {
  const wrong = checkBar(bar);
  if (wrong !== undefined) return refused("invalid_amount", wrong);
  const { serial, refiner, finenessTenThousandths, weightMicrograms } = bar;
  return await inTransaction(admin, async (sql) => {
    const added = await sql`
      insert into vault_bars
        (serial, refiner, fineness_ten_thousandths, weight_micrograms, added_at)
      values (${serial}, ${refiner}, ${finenessTenThousandths}, ${weightMicrograms},
        ${toMoment(admin.now())})
      on conflict (serial) do update set refiner = excluded.refiner, added_at = excluded.added_at,
        fineness_ten_thousandths = excluded.fineness_ten_thousandths,
        weight_micrograms = excluded.weight_micrograms, removed_at = null
      where vault_bars.removed_at is not null`;
    if (added.count === 0) {
      return refused("already_exists", `the bar ${serial} is in the vault already`);
    }
    await sql`update vault set bars_micrograms = bars_micrograms + ${weightMicrograms}`;
    await writeAudit(sql, admin, "vault.bar.add", null, {
      serial,
      refiner,
      finenessTenThousandths,
      weightMicrograms: String(weightMicrograms),
    });
    return done(bar);
  });
}

/** Records that a bar left the vault; refused while what is promised needs it. */
export function removeBar(admin: AdminContext, serial: string): Promise<Done<Bar>> {
  return inTransaction<Bar>(admin, async (sql) => {
    const [bar] = await sql<Bar[]>`
      update vault_bars set removed_at = ${toMoment(admin.now())}
      where serial = ${serial} and removed_at is null
      returning serial, refiner, fineness_ten_thousandths as "finenessTenThousandths",
        weight_micrograms as "weightMicrograms"`;
    if (bar === undefined) return refused("not_found", `there is no bar ${serial} in the vault`);
    if (!await changeVault(sql, "bars", -bar.weightMicrograms)) {
      return refused(
        "insufficient_vault",
        `the bar ${serial} backs gold that is promised: release allocations first`,
      );
    }
    await writeAudit(sql, admin, "vault.bar.remove", null, { serial });
    return done(bar);
  });
}

/** Adds to a side of the vault's one row; false when promises would exceed the bars. */
export async function changeVault(
  sql: Transaction,
  side: "bars" | "allocated",
  micrograms: bigint,
): Promise<boolean> {
  const bars = side === "bars" ? micrograms : 0n;
  const allocated = side === "allocated" ? micrograms : 0n;
  const changed = await sql`
    update vault set bars_micrograms = bars_micrograms + ${bars},
      allocated_micrograms = allocated_micrograms + ${allocated}
    where allocated_micrograms + ${allocated} between 0 and bars_micrograms + ${bars}`;
  return changed.count === 1;
}

/** The bars in the vault, by serial. */
export async function listBars(sql: Sql): Promise<(Bar & { addedAtMs: number })[]> {
  const rows = await sql<(Bar & { addedAt: string })[]>`
    select serial, refiner, fineness_ten_thousandths as "finenessTenThousandths",
      weight_micrograms as "weightMicrograms", added_at as "addedAt"
    from vault_bars where removed_at is null order by serial`;
  return rows.map(({ addedAt, ...bar }) => ({ ...bar, addedAtMs: fromMoment(addedAt) }));
}

function checkBar(bar: Bar): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9 ./_-]{0,63}$/.test(bar.serial)) {
    return "a serial has 1 to 64 letters, digits and . / _ -";
  }
  if (bar.refiner.trim() === "" || bar.refiner.length > 128) {
    return "the refiner has 1 to 128 characters";
  }
  if (
    bar.finenessTenThousandths < LEAST_FINENESS_TEN_THOUSANDTHS ||
    bar.finenessTenThousandths > 10_000
  ) {
    return "the fineness is 999.9 to 1000: what is sold is gold of 999.9";
  }
  if (bar.weightMicrograms <= 0n || bar.weightMicrograms > HEAVIEST_MICROGRAMS) {
    return "a bar weighs more than 0 and at most 20000 grams";
  }
  return undefined;
}
