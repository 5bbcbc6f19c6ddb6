import { COUNTING } from "./digit_forms.ts";
import { list, nullable, STRING, TIME } from "./form.ts";
import { openSigned } from "./open_signed.ts";
import { parseJson } from "./parse_json.ts";
import { readOrUndefined } from "./read_or_undefined.ts";
import { member, record } from "./record_form.ts";
import type { AttestationKey } from "./resources/attestation_keys.ts";

/** The type of an inspector's signature under a count (Decision D106). */
export const COUNT_TYPE = "sabika-count";

/** What a count of a pool says (Decision D104): serials in the order of code points. */
export interface PoolCount {
  /** Epoch milliseconds. */
  readonly countedAtMs: number;
  /** Bars that weighed something else. */
  readonly different: readonly string[];
  /** Bars that were there. */
  readonly found: readonly string[];
  /** Bars that were not there. */
  readonly missing: readonly string[];
  /** The place that was counted; null for all places. */
  readonly place: string | null;
  /** The pool's id. */
  readonly pool: string;
  /** The pool's version that was in force; null before its first bar. */
  readonly version: number | null;
}

const POOL_COUNT = record<PoolCount>("count", {
  countedAtMs: member("counted_at", TIME),
  different: member("different", list(STRING)),
  found: member("found", list(STRING)),
  missing: member("missing", list(STRING)),
  place: member("place", nullable(STRING)),
  pool: member("pool", STRING),
  version: member("version", nullable(COUNTING)),
});

/** What does not hold of a signature under a count, in this order; nothing else is looked at after the first four. */
export const COUNT_FAULTS = [
  "malformed",
  "wrong_algorithm",
  "unknown_key",
  "altered",
  "other_role",
  "key_ended",
  "other_count",
] as const;
/** One of {@link COUNT_FAULTS}. */
export type CountFault = (typeof COUNT_FAULTS)[number];

/** What a signature under a count says, and what of it does not hold. */
export interface CountVerification {
  /** What was counted; null when it cannot be read. */
  readonly count: PoolCount | null;
  /** Whose key signed it; null when no published key did. */
  readonly key: AttestationKey | null;
  /** Empty if all holds. */
  readonly faults: readonly CountFault[];
}

/**
 * Verifies an inspector's signature under a count, offline (Decision D106). The signature has the count's text, so it
 * stands alone.
 *
 * @param jws compact JWS of type `sabika-count`
 * @param keys the published keys of inspectors and auditors
 * @param text the count that it has to be of, canonical JSON
 */
export async function verifyCount(
  { jws, keys, text }: {
    readonly jws: string;
    readonly keys: readonly AttestationKey[];
    readonly text?: string;
  },
): Promise<CountVerification> {
  const opened = await openSigned(jws, COUNT_TYPE, keys);
  if (typeof opened === "string") return { count: null, key: null, faults: [opened] };
  const key = keys.find(({ keyId }) => keyId === opened.key.keyId)!;
  const count = readPoolCount(opened.payload);
  if (count === null) return { count, key, faults: ["malformed"] };
  const faults: CountFault[] = [];
  if (key.role !== "inspector") faults.push("other_role");
  if (key.validUntilMs !== null && key.validUntilMs <= count.countedAtMs) faults.push("key_ended");
  if (text !== undefined && text !== opened.payload) faults.push("other_count");
  return { count, key, faults };
}

/**
 * Reads a count; null when it is not one, or not canonical.
 *
 * @example
 * const count = readPoolCount(text);
 * if (count !== null) console.log(count.missing);
 */
export function readPoolCount(text: string): PoolCount | null {
  const count = readOrUndefined(() => POOL_COUNT.read(parseJson(text)));
  return count !== undefined && POOL_COUNT.write(count) === text ? count : null;
}
