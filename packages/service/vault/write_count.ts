import { formatTime } from "@sabika/protocol";
import type { CountLine } from "./counts.ts";

/**
 * Writes the canonical JSON of a count of a pool (RFC 8785; Decision D104), which an inspector may sign: serials in
 * the order of code points. A bar that is on no list is not of the pool, and is not in it.
 */
export function writeCount({ poolId, version, countedAtMs, place, lines }: {
  readonly poolId: string;
  readonly version: number | null;
  readonly countedAtMs: number;
  readonly place: string | null;
  readonly lines: readonly Pick<CountLine, "serial" | "finding">[];
}): string {
  const those = (finding: CountLine["finding"]) =>
    lines.filter((line) => line.finding === finding).map(({ serial }) => serial).toSorted();
  return JSON.stringify({
    counted_at: formatTime(countedAtMs),
    different: those("different"),
    found: those("found"),
    missing: those("missing"),
    place,
    pool: poolId,
    version,
  });
}
