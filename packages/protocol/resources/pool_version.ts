import { sha256Hex } from "../../canonical/mod.ts";
import { encodeUtf8 } from "../bytes.ts";
import { COUNTING, DIGITS, FINENESS, SHA256_HEX } from "../digit_forms.ts";
import { type Form, list, nullable, oneOf, STRING, unreadable } from "../form.ts";
import { parseJson } from "../parse_json.ts";
import { member, record } from "../record_form.ts";

/** What a version of a pool did to the one before. */
export const POOL_CHANGES = ["add", "remove", "replace"] as const;
/** One of {@link POOL_CHANGES}. */
export type PoolChange = (typeof POOL_CHANGES)[number];

/** A bar of a pool (Decisions D94, D103). */
export interface PoolBar {
  /** SHA-256 of its documents, lower-case hex: assay, weight list, custody receipt. */
  readonly documents: readonly string[];
  /** Gross × fineness, rounded down. */
  readonly fineMicrograms: bigint;
  /** Parts per ten thousand: 999.9 is 9999. */
  readonly finenessTenThousandths: number;
  /** The weight on the scales. */
  readonly grossMicrograms: bigint;
  /** The place in the vault; null if it is not recorded. */
  readonly place: string | null;
  /** Who made it. */
  readonly refiner: string;
  /** Its number by its refiner. */
  readonly serial: string;
  /** The vault; null if it is not recorded. */
  readonly vault: string | null;
}

/** A version of a pool: all bars that it has from then on (Decision D103). */
export interface PoolVersion {
  /** Sorted by refiner and serial, by code points. */
  readonly bars: readonly PoolBar[];
  /** What it did to the version before. */
  readonly kind: PoolChange;
  /** From 1, without gaps. */
  readonly number: number;
  /** The pool's id. */
  readonly pool: string;
  /** The hash of the version before; null for the first. */
  readonly previous: string | null;
}

/** The form of a bar. */
// Members are sorted by their names, which makes what is written canonical (RFC 8785): numbers are whole.
export const POOL_BAR: Form<PoolBar> = record<PoolBar>("pool bar", {
  documents: member("documents", list(SHA256_HEX), "SHA-256 of each of its documents."),
  fineMicrograms: member("fine_ug", DIGITS, "Fine micrograms: gross × fineness, rounded down."),
  finenessTenThousandths: member("fineness", FINENESS, "Parts per thousand."),
  grossMicrograms: member("gross_ug", DIGITS, "Gross micrograms."),
  place: member("place", nullable(STRING), "The place in the vault, or null."),
  refiner: member("refiner", STRING, "Who made it."),
  serial: member("serial", STRING, "Its number by its refiner."),
  vault: member("vault", nullable(STRING), "The vault, or null."),
});

/** The form of a version of a pool. */
export const POOL_VERSION: Form<PoolVersion> = record<PoolVersion>("pool version", {
  bars: member("bars", list(POOL_BAR), "All its bars, sorted by refiner and serial."),
  kind: member("kind", oneOf(POOL_CHANGES), "What it did to the version before."),
  number: member("number", COUNTING, "From 1, without gaps."),
  pool: member("pool", STRING, "The pool's id."),
  previous: member("previous", nullable(SHA256_HEX), "The hash of the version before, or null."),
});

/**
 * Writes a version as the text whose hash receipts name: canonical JSON (RFC 8785), its bars sorted by refiner
 * and serial (Decision D103).
 */
export function writePoolVersion(version: PoolVersion): string {
  return POOL_VERSION.write({ ...version, bars: [...version.bars].sort(compareBars) });
}

/** Returns the hash of a version's text: lower-case hex SHA-256 of its UTF-8. */
export function poolVersionHash(text: string): Promise<string> {
  return sha256Hex(encodeUtf8(text));
}

/**
 * Reads the text of a version, and checks that each fine weight follows from gross weight and fineness, that the
 * bars are sorted and none is there twice, and that only the first version has none before.
 *
 * @throws {WireFormatError} when it is not such a version
 * @throws {JsonSyntaxError} when it is not JSON
 */
export function readPoolVersion(text: string): PoolVersion {
  const version = POOL_VERSION.read(parseJson(text));
  if ((version.number === 1) !== (version.previous === null)) {
    unreadable("pool version: previous", "does not fit the number");
  }
  for (const bar of version.bars) {
    if (fineMicrograms(bar) !== bar.fineMicrograms) {
      unreadable("pool version: fine_ug", "is not gross weight × fineness");
    }
  }
  const { bars } = version;
  if (bars.some((bar, i) => i > 0 && compareBars(bars[i - 1]!, bar) >= 0)) {
    unreadable("pool version: bars", "are not sorted, or one is there twice");
  }
  return version;
}

/** Returns the fine weight of a version: the sum of its bars. */
export function poolFineMicrograms({ bars }: Pick<PoolVersion, "bars">): bigint {
  return bars.reduce((sum, bar) => sum + bar.fineMicrograms, 0n);
}

/** Returns the fine weight of a bar: gross weight × fineness, rounded down (Decision D94). */
function fineMicrograms(
  bar: Pick<PoolBar, "grossMicrograms" | "finenessTenThousandths">,
): bigint {
  return bar.grossMicrograms * BigInt(bar.finenessTenThousandths) / 10_000n;
}

function compareBars(a: PoolBar, b: PoolBar): number {
  return compareCodePoints(a.refiner, b.refiner) || compareCodePoints(a.serial, b.serial);
}

/** Compares as bytes of UTF-8 and the database's collation "C" do; `<` would compare UTF-16. */
function compareCodePoints(a: string, b: string): number {
  const [x, y] = [encodeUtf8(a), encodeUtf8(b)];
  const at = x.findIndex((byte, i) => byte !== y[i]);
  return at < 0 ? x.length - y.length : x[at]! - (y[at] ?? -1);
}
