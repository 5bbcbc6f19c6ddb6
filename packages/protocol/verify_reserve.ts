import { sha256Hex } from "../canonical/mod.ts";
import { decodeHex, encodeUtf8 } from "./bytes.ts";
import { WireFormatError } from "./form.ts";
import { openSigned } from "./open_signed.ts";
import { JsonSyntaxError } from "./parse_json.ts";
import type { ReceiptKey } from "./resources/receipt_keys.ts";
import {
  readReserve,
  type Reserve,
  RESERVE_SIGNATURE,
  RESERVE_TYPE,
  reserveHash,
  type ReserveOpening,
} from "./resources/reserve.ts";

/**
 * Commits to a partner's balances at the end of a day (Decision D105): the SHA-256 in lower-case hex of the 32 bytes
 * of the salt and of four lines in UTF-8, each ended by a line feed: client id, day, cash in halalas, gold in
 * micrograms. No two inputs are the same bytes: the salt's length is fixed, and the last three lines have no line
 * feed.
 *
 * @throws {TypeError} when the salt is not 32 bytes
 *
 * @example
 * const isMine = reserve.commitments.includes(await commitBalances(opening));
 */
export function commitBalances(
  { salt, partner, day, cashHalalas, goldMicrograms }: Omit<ReserveOpening, "pool">,
): Promise<string> {
  const bytes = decodeHex(salt);
  if (bytes?.length !== 32) throw new TypeError("the salt must be 32 bytes in hex");
  const lines = encodeUtf8(`${partner}\n${day}\n${cashHalalas}\n${goldMicrograms}\n`);
  const input = new Uint8Array(32 + lines.length);
  input.set(bytes);
  input.set(lines, 32);
  return sha256Hex(input);
}

/** What can be wrong with a reserve and what is kept beside it, in this order. */
export const RESERVE_FAULTS = [
  "malformed",
  "other_hash",
  "wrong_signature",
  "other_previous",
  "other_day",
  "not_committed",
  "openings_missing",
  "cash_differs",
  "gold_differs",
  "gold_not_covered",
] as const;
/** One of {@link RESERVE_FAULTS}. */
export type ReserveFault = (typeof RESERVE_FAULTS)[number];

/** A reserve with what its reader has kept or was given. */
export interface ReserveToVerify {
  /** The text of the reserve, byte for byte. */
  readonly text: string;
  /** The hash that the reader knows it by, such as that of its signature. */
  readonly hash?: string | undefined;
  /** The operator's signature, a compact JWS; checked with the keys, if both are given. */
  readonly signature?: string | undefined;
  /** The published keys, better kept than fetched now. */
  readonly keys?: readonly ReceiptKey[] | undefined;
  /** The text of the reserve of the day before, kept by the reader. */
  readonly previousText?: string | undefined;
  /** The reader's own opening. */
  readonly mine?: ReserveOpening | undefined;
  /** All openings: what an auditor is given. */
  readonly openings?: readonly ReserveOpening[] | undefined;
}

/** What is wrong with a reserve. */
export interface VerifiedReserve {
  /** Whether nothing is wrong. */
  readonly ok: boolean;
  /** The reserve; undefined when it is malformed. */
  readonly reserve: Reserve | undefined;
  /** What does not hold, in the order of {@link RESERVE_FAULTS}. */
  readonly faults: readonly ReserveFault[];
}

/**
 * Verifies a reserve without a network (Decision D105): that it is the one that its reader knows, follows the one
 * before, has the reader's balances, and, for an auditor, that the openings are its commitments and come to its
 * totals.
 *
 * @example
 * const { ok, faults } = await verifyReserve({ text, mine });
 */
export async function verifyReserve(
  { text, hash, signature, keys, previousText, mine, openings }: ReserveToVerify,
): Promise<VerifiedReserve> {
  const reserve = readOrUndefined(text);
  if (reserve === undefined) return { ok: false, reserve, faults: ["malformed"] };
  const found = new Set<ReserveFault>();
  if (hash !== undefined && hash !== await reserveHash(text)) found.add("other_hash");
  if (signature !== undefined && keys !== undefined && !await isSigned(text, signature, keys)) {
    found.add("wrong_signature");
  }
  if (previousText !== undefined && reserve.previous !== await reserveHash(previousText)) {
    found.add("other_previous");
  }
  const opened = openings ?? (mine === undefined ? [] : [mine]);
  const commitments = await Promise.all(opened.map(commitBalances));
  const known = new Set(reserve.commitments);
  if (opened.some(({ day }) => day !== reserve.day)) found.add("other_day");
  else if (commitments.some((commitment) => !known.has(commitment))) found.add("not_committed");
  if (openings !== undefined) judgeTotals(reserve, openings, new Set(commitments), found);
  if (mine !== undefined && openings !== undefined && !known.has(await commitBalances(mine))) {
    found.add("not_committed");
  }
  if (reserve.pools.some((pool) => pool.obligationsMicrograms > pool.fineMicrograms)) {
    found.add("gold_not_covered");
  }
  const faults = RESERVE_FAULTS.filter((fault) => found.has(fault));
  return { ok: faults.length === 0, reserve, faults };
}

/** Whether the operator signed that this is the reserve of its day. */
async function isSigned(
  text: string,
  jws: string,
  keys: readonly ReceiptKey[],
): Promise<boolean> {
  const opened = await openSigned(jws, RESERVE_TYPE, keys);
  const { day } = readReserve(text);
  const signed = { day, hash: await reserveHash(text), signer: "operator" } as const;
  return typeof opened !== "string" && opened.payload === RESERVE_SIGNATURE.write(signed);
}

function judgeTotals(
  { cash, commitments, pools }: Reserve,
  openings: readonly ReserveOpening[],
  opened: ReadonlySet<string>,
  found: Set<ReserveFault>,
): void {
  if (commitments.some((commitment) => !opened.has(commitment))) found.add("openings_missing");
  const cashHalalas = openings.reduce((sum, opening) => sum + opening.cashHalalas, 0n);
  if (cashHalalas !== cash.obligationsHalalas) found.add("cash_differs");
  const owed = new Map(pools.map(({ id }) => [id, 0n]));
  for (const { pool, goldMicrograms } of openings) {
    owed.set(pool, (owed.get(pool) ?? 0n) + goldMicrograms);
  }
  const stated = new Map(pools.map(({ id, obligationsMicrograms }) => [id, obligationsMicrograms]));
  if ([...owed].some(([pool, gold]) => gold !== (stated.get(pool) ?? 0n))) {
    found.add("gold_differs");
  }
}

function readOrUndefined(text: string): Reserve | undefined {
  try {
    return readReserve(text);
  } catch (error) {
    if (error instanceof WireFormatError || error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
