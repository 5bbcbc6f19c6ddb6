import { readOrUndefined } from "./read_or_undefined.ts";
import {
  POOL_BAR,
  type PoolChange,
  poolFineMicrograms,
  type PoolVersion,
  poolVersionHash,
  readPoolVersion,
} from "./resources/pool_version.ts";

/** What can be wrong with the versions of a pool, in this order; nothing else is looked at after the first. */
export const VERSIONS_FAULTS = [
  "malformed",
  "other_pool",
  "number_missing",
  "other_previous",
  "other_hash",
  "other_change",
  "less_fine",
] as const;
/** One of {@link VERSIONS_FAULTS}. */
export type VersionsFault = (typeof VERSIONS_FAULTS)[number];

/** What does not hold of the versions of a pool. */
export interface VerifiedVersions {
  /** Whether all holds. */
  readonly ok: boolean;
  /** What does not hold, in the order of {@link VERSIONS_FAULTS}. */
  readonly faults: readonly VersionsFault[];
  /** The index of the first text that does not hold; undefined if all do. */
  readonly at: number | undefined;
}

/**
 * Verifies without a network that versions of a pool follow each other (Decision D102): that each has the hash of the
 * one before, their numbers have no gaps, each changed what it says, and bars were replaced by no less fine gold.
 *
 * @param texts the versions as the partner has kept them, byte for byte, oldest first; the first may be any
 * @param hashes hashes that the partner has kept by number, such as those of receipts
 *
 * @example
 * const { ok, faults, at } = await verifyVersions({ texts: [first, second] });
 */
export async function verifyVersions(
  { texts, hashes = new Map() }: {
    readonly texts: readonly string[];
    readonly hashes?: ReadonlyMap<number, string>;
  },
): Promise<VerifiedVersions> {
  const versions = texts.map((text) => readOrUndefined(() => readPoolVersion(text)));
  const malformed = versions.indexOf(undefined);
  if (malformed >= 0) return { ok: false, faults: ["malformed"], at: malformed };
  const found = new Set<VersionsFault>();
  let [before, hashBefore]: [PoolVersion | undefined, string | undefined] = [undefined, undefined];
  let at: number | undefined;
  for (const [i, version] of (versions as PoolVersion[]).entries()) {
    const hash = await poolVersionHash(texts[i]!);
    const kept = hashes.get(version.number);
    if (kept !== undefined && kept !== hash) found.add("other_hash");
    if (before !== undefined && version.previous !== hashBefore) found.add("other_previous");
    judgeChange(version, before, found);
    if (found.size > 0) at ??= i;
    [before, hashBefore] = [version, hash];
  }
  return { ok: found.size === 0, faults: VERSIONS_FAULTS.filter((fault) => found.has(fault)), at };
}

/** Judges a version by the one before, which is undefined for the first text. */
function judgeChange(
  version: PoolVersion,
  before: PoolVersion | undefined,
  found: Set<VersionsFault>,
): void {
  if (before === undefined) {
    if (version.number === 1 && changeOf({ bars: [] }, version) !== version.kind) {
      found.add("other_change");
    }
    return;
  }
  const isOther = version.pool !== before.pool;
  const isNext = version.number === before.number + 1;
  if (isOther) found.add("other_pool");
  if (!isNext) found.add("number_missing");
  if (isOther || !isNext) return;
  const change = changeOf(before, version);
  if (change !== version.kind) found.add("other_change");
  if (change === "replace" && poolFineMicrograms(version) < poolFineMicrograms(before)) {
    found.add("less_fine");
  }
}

type Bars = Pick<PoolVersion, "bars">;

/** Returns what changed between two lists; undefined if nothing did. */
function changeOf(before: Bars, after: Bars): PoolChange | undefined {
  const [old, current] = [before, after].map(({ bars }) => bars.map((bar) => POOL_BAR.write(bar)));
  const hasRemoved = !isSubset(old!, current!);
  const hasAdded = !isSubset(current!, old!);
  if (hasRemoved && hasAdded) return "replace";
  return hasAdded ? "add" : hasRemoved ? "remove" : undefined;
}

function isSubset(texts: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return texts.every((text) => known.has(text));
}
