import type { VaultCount } from "@sabika/service/vault";
import { fill } from "../languages/fill.ts";
import type { Messages } from "../languages/languages.ts";

/** Says what a count is of: a place, a pool's version, or the whole vault. */
export function countedPlace(
  { counts, custody }: Messages,
  { place, poolId, version }: Pick<VaultCount, "place" | "poolId" | "version">,
): string {
  if (place !== null) return place;
  return poolId === null || version === null
    ? counts.whole
    : fill(custody.version, { pool: poolId, n: version });
}
