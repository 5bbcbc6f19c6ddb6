import { refuse, uuidV7 } from "@sabika/protocol";
import { drizzle } from "@sabika/database";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { actIdOf } from "../audit/warrant.ts";
import { type Bar, isSerial, listBars } from "./bars.ts";
import { lockVault } from "./lock_vault.ts";
import { findPool } from "./pools.ts";
import { vaultCountLines, vaultCounts } from "./tables.ts";

/** What was seen where a custodian counted (Decision D101). */
export interface Seen {
  /** The place whose bars were counted; undefined: those of the whole vault. */
  readonly place: string | undefined;
  /** The pool whose bars were counted; undefined: the bars of all pools. */
  readonly pool?: string | undefined;
  /** The bars of the list that were there, some of them weighed. */
  readonly bars: readonly { readonly serial: string; readonly weighedMicrograms?: bigint }[];
  /** The serials of bars that were there and are not on the list. */
  readonly unexpected: readonly string[];
}

/** A bar of a count, and what was found about it. */
export type CountLine = Omit<typeof vaultCountLines.$inferSelect, "countId">;

/** The lines of a count: the bars of the list, each as it was found, then those that were not expected. */
export function compareCount(
  list: readonly Pick<
    Bar,
    "serial" | "refiner" | "finenessTenThousandths" | "weightMicrograms"
  >[],
  { bars, unexpected }: Pick<Seen, "bars" | "unexpected">,
): CountLine[] {
  const seen = new Map(bars.map((bar) => [bar.serial, bar]));
  return [
    ...list.map(({ serial, refiner, finenessTenThousandths, weightMicrograms }): CountLine => {
      const found = seen.get(serial);
      const weighedMicrograms = found?.weighedMicrograms ?? null;
      return {
        serial,
        refiner,
        finenessTenThousandths,
        weightMicrograms,
        isSeen: found !== undefined,
        weighedMicrograms,
        finding: found === undefined
          ? "missing"
          : weighedMicrograms !== null && weighedMicrograms !== weightMicrograms
          ? "different"
          : "found",
      };
    }),
    ...unexpected.map((serial): CountLine => ({
      serial,
      refiner: null,
      finenessTenThousandths: null,
      weightMicrograms: null,
      isSeen: true,
      weighedMicrograms: null,
      finding: "unexpected",
    })),
  ];
}

/** The fine weight of a bar as it was found, micrograms: by its own weight if it was weighed; 0 if it was not seen. */
export function fineFound(
  { isSeen, weighedMicrograms, weightMicrograms, finenessTenThousandths }: CountLine,
): bigint {
  const weight = isSeen ? weighedMicrograms ?? weightMicrograms ?? 0n : 0n;
  return weight * BigInt(finenessTenThousandths ?? 0) / 10_000n;
}

/** A count as it was recorded, with the pool's version that was in force (Decision D104). */
interface Recorded {
  readonly countId: string;
  /** Null if all pools were counted together, though there are several. */
  readonly pool: string | null;
  readonly version: number | null;
  readonly lines: readonly CountLine[];
}

/**
 * Records a count: what the list of the place had and what was seen there, for good. It changes no bar. Refused
 * where a serial is wrong or there twice, where what was seen is not on the list, or the other way round.
 */
export function recordCount(
  admin: AdminContext,
  seen: Seen,
): Promise<AdminOutcome<Recorded>> {
  return inTransaction(admin, async (sql) => {
    // So that the list holds until the count is there.
    await lockVault(sql);
    if (seen.pool !== undefined && await findPool(sql, seen.pool) === undefined) {
      return refuse("not_found", `there is no pool "${seen.pool}"`);
    }
    const list = await listBars(sql, seen.place, seen.pool);
    const wrong = checkSeen(new Set(list.map(({ serial }) => serial)), seen);
    if (wrong !== undefined) return wrong;
    const { place = null } = seen;
    const lines = compareCount(list, seen);
    const { now, random, actor } = admin;
    const countId = actIdOf(admin) ?? uuidV7(now(), random);
    const rows = lines.map(({ finding: _, ...line }) => ({ countId, ...line }));
    for (let n = 0; n < rows.length; n += ROWS_AT_ONCE) {
      await drizzle(sql).insert(vaultCountLines).values(rows.slice(n, n + ROWS_AT_ONCE));
    }
    const count = { countId, place, countedAt: now(), countedBy: actor.who };
    // The database says which version was in force.
    const [recorded] = await drizzle(sql).insert(vaultCounts)
      .values({ ...count, poolId: seen.pool ?? null }).returning();
    const { poolId: pool, version } = recorded!;
    const serials = (finding: CountLine["finding"]) =>
      lines.filter((line) => line.finding === finding).map(({ serial }) => serial);
    await writeAudit(sql, admin, "vault.count", null, {
      count: countId,
      place,
      pool,
      version,
      bars: list.length,
      missing: serials("missing"),
      unexpected: serials("unexpected"),
      different: serials("different"),
    });
    return { ok: true, value: { countId, pool, version, lines } };
  });
}

/** A statement has at most 65,535 parameters. */
const ROWS_AT_ONCE = 5_000;

function checkSeen(
  listed: ReadonlySet<string>,
  { bars, unexpected }: Seen,
): AdminRefusal | undefined {
  const all = [...bars.map(({ serial }) => serial), ...unexpected];
  const wrong = all.find((serial) => !isSerial(serial));
  if (wrong !== undefined) return refuse("invalid_amount", `"${wrong}" is no serial`);
  const twice = all.find((serial, at) => all.indexOf(serial) !== at);
  if (twice !== undefined) return refuse("invalid_amount", `the bar ${twice} is there twice`);
  const light = bars.find(({ weighedMicrograms = 1n }) => weighedMicrograms <= 0n);
  if (light !== undefined) {
    return refuse("invalid_amount", `the bar ${light.serial} weighs nothing`);
  }
  const unknown = bars.find(({ serial }) => !listed.has(serial));
  if (unknown !== undefined) {
    return refuse("not_found", `the bar ${unknown.serial} is not on the list: it was not expected`);
  }
  const known = unexpected.find((serial) => listed.has(serial));
  if (known === undefined) return undefined;
  return refuse("already_exists", `the bar ${known} is on the list: it was expected`);
}
