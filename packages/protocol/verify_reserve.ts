import { sha256Hex } from "../canonical/mod.ts";
import { decodeHex, encodeUtf8 } from "./bytes.ts";
import { openSigned } from "./open_signed.ts";
import { parseJson } from "./parse_json.ts";
import { readOrUndefined } from "./read_or_undefined.ts";
import type { AttestationKey } from "./resources/attestation_keys.ts";
import type { ReceiptKey } from "./resources/receipt_keys.ts";
import {
  ATTESTATION_TYPE,
  readReserve,
  type Reserve,
  RESERVE_ATTESTATION,
  RESERVE_SIGNATURE,
  RESERVE_TYPE,
  type ReserveAttestation,
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
  "attestation_malformed",
  "attestation_wrong_algorithm",
  "attestation_unknown_key",
  "attestation_altered",
  "attestation_other_role",
  "attestation_key_ended",
  "attestation_other_reserve",
  "other_previous",
  "other_day",
  "not_committed",
  "opening_negative",
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
  /** An auditor's attestation, a compact JWS; checked with the keys of auditors, if both are given (Decision D107). */
  readonly attestation?: string | undefined;
  /** The published keys of inspectors and auditors, better kept than fetched now. */
  readonly attestationKeys?: readonly AttestationKey[] | undefined;
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
  /** The published key that signed the attestation; undefined when none was given or none of them did. */
  readonly attestedBy: AttestationKey | undefined;
}

/**
 * Verifies a reserve without a network (Decision D105): that it is the one that its reader knows, follows the one
 * before, is attested by an auditor, has the reader's balances, and, for an auditor, that the openings are its
 * commitments, none is below zero, and they come to its totals.
 *
 * @example
 * const { ok, faults } = await verifyReserve({ text, mine });
 */
export async function verifyReserve(given: ReserveToVerify): Promise<VerifiedReserve> {
  const { text, hash, signature, keys, attestation, attestationKeys, previousText } = given;
  const reserve = readOrUndefined(() => readReserve(text));
  if (reserve === undefined) {
    return { ok: false, reserve, faults: ["malformed"], attestedBy: undefined };
  }
  const found = new Set<ReserveFault>();
  const known = { day: reserve.day, hash: await reserveHash(text) };
  if (hash !== undefined && hash !== known.hash) found.add("other_hash");
  if (signature !== undefined && keys !== undefined && !await isSigned(known, signature, keys)) {
    found.add("wrong_signature");
  }
  const attestedBy = attestation === undefined || attestationKeys === undefined
    ? undefined
    : await judgeAttestation(known, attestation, attestationKeys, found);
  if (previousText !== undefined && reserve.previous !== await reserveHash(previousText)) {
    found.add("other_previous");
  }
  await judgeOpenings(reserve, given, found);
  if (reserve.pools.some((pool) => pool.obligationsMicrograms > pool.fineMicrograms)) {
    found.add("gold_not_covered");
  }
  const faults = RESERVE_FAULTS.filter((fault) => found.has(fault));
  return { ok: faults.length === 0, reserve, faults, attestedBy };
}

/** Whether the operator signed that this is the reserve of its day. */
async function isSigned(
  reserve: ReserveAttestation,
  jws: string,
  keys: readonly ReceiptKey[],
): Promise<boolean> {
  const opened = await openSigned(jws, RESERVE_TYPE, keys);
  const signed = RESERVE_SIGNATURE.write({ ...reserve, signer: "operator" });
  return typeof opened !== "string" && opened.payload === signed;
}

/** Finds what does not hold of an attestation; returns the key that signed it. */
async function judgeAttestation(
  reserve: ReserveAttestation,
  jws: string,
  keys: readonly AttestationKey[],
  found: Set<ReserveFault>,
): Promise<AttestationKey | undefined> {
  const opened = await openSigned(jws, ATTESTATION_TYPE, keys);
  if (typeof opened === "string") {
    found.add(`attestation_${opened}`);
    return undefined;
  }
  const key = keys.find(({ keyId }) => keyId === opened.key.keyId)!;
  if (key.role !== "auditor") found.add("attestation_other_role");
  // A reserve is made when its day has ended, and is attested after that.
  if (key.validUntilMs !== null && key.validUntilMs <= endOfDay(reserve.day)) {
    found.add("attestation_key_ended");
  }
  if (opened.payload !== RESERVE_ATTESTATION.write(reserve)) {
    found.add(
      isAttestation(opened.payload) ? "attestation_other_reserve" : "attestation_malformed",
    );
  }
  return key;
}

/** When a day ends in Riyadh, UTC+3, in epoch milliseconds. */
const endOfDay = (day: string): number => Date.parse(`${day}T21:00:00Z`);

function isAttestation(text: string): boolean {
  const attestation = readOrUndefined(() => RESERVE_ATTESTATION.read(parseJson(text)));
  return attestation !== undefined && RESERVE_ATTESTATION.write(attestation) === text;
}

async function judgeOpenings(
  reserve: Reserve,
  { mine, openings }: ReserveToVerify,
  found: Set<ReserveFault>,
): Promise<void> {
  const opened = openings ?? (mine === undefined ? [] : [mine]);
  const commitments = await Promise.all(opened.map(commitBalances));
  const known = new Set(reserve.commitments);
  if (opened.some(({ day }) => day !== reserve.day)) found.add("other_day");
  else if (commitments.some((commitment) => !known.has(commitment))) found.add("not_committed");
  if (opened.some(({ cashHalalas, goldMicrograms }) => cashHalalas < 0n || goldMicrograms < 0n)) {
    found.add("opening_negative");
  }
  if (openings !== undefined) judgeTotals(reserve, openings, new Set(commitments), found);
  if (mine !== undefined && openings !== undefined && !known.has(await commitBalances(mine))) {
    found.add("not_committed");
  }
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
