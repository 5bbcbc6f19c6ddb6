import { sha256Hex } from "../../canonical/mod.ts";
import { encodeUtf8 } from "../bytes.ts";
import { COUNTING, DIGITS, SHA256_HEX } from "../digit_forms.ts";
import {
  BOOLEAN,
  type Form,
  HALALAS,
  list,
  nullable,
  oneOf,
  STRING,
  TIME,
  unreadable,
} from "../form.ts";
import { parseJson } from "../parse_json.ts";
import { member, record } from "../record_form.ts";
import type { ReceiptCount } from "./receipt.ts";

/** The `typ` of the JWS with which the operator signs a reserve. */
export const RESERVE_TYPE = "sabika-reserve";

/** The `typ` of the JWS with which an auditor attests a reserve (Decision D107). */
export const ATTESTATION_TYPE = "sabika-attestation";

/** What was promised at the end of a day in Riyadh, and what was there for it (Decision D105). */
export interface Reserve {
  /** The money. */
  readonly cash: ReserveCash;
  /** A commitment to the balances of each partner, sorted: see {@link commitBalances}. */
  readonly commitments: readonly string[];
  /** `2026-11-20`, in Riyadh. */
  readonly day: string;
  /** The gold, by pool, sorted by id. */
  readonly pools: readonly ReservePool[];
  /** The hash of the reserve before; null for the first. */
  readonly previous: string | null;
}

/** The money of a reserve. */
export interface ReserveCash {
  /** In the operator's bank, as two people entered it; null if they have not. */
  readonly bankHalalas: bigint | null;
  /** Withdrawals that were requested and not yet paid out, owed besides. */
  readonly inTransitHalalas: bigint;
  /** What all partners may withdraw. */
  readonly obligationsHalalas: bigint;
}

/** A pool of a reserve. */
export interface ReservePool {
  /** The last count before the day ended; null if there was none. */
  readonly count: ReceiptCount | null;
  /** The fine weight of the version. */
  readonly fineMicrograms: bigint;
  /** The pool's id. */
  readonly id: string;
  /** What the partners that draw on it own. */
  readonly obligationsMicrograms: bigint;
  /** The version that was in force when the day ended; null before the first bar. */
  readonly version: number | null;
}

// Members are sorted by their names, which makes what is written canonical (RFC 8785). It never changes.
const CASH = record<ReserveCash>("reserve cash", {
  bankHalalas: member(
    "bank",
    nullable(HALALAS),
    "In the operator's bank, as two people entered it; null if they have not.",
  ),
  inTransitHalalas: member("in_transit", HALALAS, "Withdrawals requested and not yet paid out."),
  obligationsHalalas: member("obligations", HALALAS, "What all partners may withdraw."),
});

const COUNT = record<ReceiptCount>("reserve count", {
  atMs: member("at", TIME, "When."),
  by: member("by", STRING, "Who counted."),
  version: member("version", COUNTING, "The version that was counted."),
});

const POOL = record<ReservePool>("reserve pool", {
  count: member("count", nullable(COUNT), "The last count before the day ended, or null."),
  fineMicrograms: member("fine_ug", DIGITS, "The fine micrograms of the version."),
  id: member("id", STRING, "The pool."),
  obligationsMicrograms: member(
    "obligations_ug",
    DIGITS,
    "The fine micrograms that its partners own.",
  ),
  version: member("version", nullable(COUNTING), "The version in force when the day ended."),
});

/** The form of a reserve: as it is written it is canonical JSON, whose SHA-256 is the reserve's hash. */
export const RESERVE: Form<Reserve> = record<Reserve>("reserve", {
  cash: member("cash", CASH),
  commitments: member(
    "commitments",
    list(SHA256_HEX),
    "SHA-256 of each partner's salt and balances, sorted.",
  ),
  day: member("day", STRING, "The day, in Riyadh."),
  pools: member("pools", list(POOL), "By id."),
  previous: member("previous", nullable(SHA256_HEX), "The hash of the reserve before, or null."),
});

/** Returns the hash of a reserve's text: lower-case hex SHA-256 of its UTF-8. */
export function reserveHash(text: string): Promise<string> {
  return sha256Hex(encodeUtf8(text));
}

/**
 * Reads the text of a reserve, and checks that commitments and pools are sorted and none is there twice.
 *
 * @throws {WireFormatError} when it is not such a reserve
 * @throws {JsonSyntaxError} when it is not JSON
 */
export function readReserve(text: string): Reserve {
  const reserve = RESERVE.read(parseJson(text));
  if (!isRising(reserve.commitments)) unreadable("reserve: commitments", "are not sorted");
  if (!isRising(reserve.pools.map(({ id }) => id))) unreadable("reserve: pools", "are not sorted");
  return reserve;
}

const isRising = (texts: readonly string[]): boolean =>
  texts.every((text, i) => i === 0 || texts[i - 1]! < text);

/** A partner's balances at the end of a day, with the salt that hides them from others. */
export interface ReserveOpening {
  /** Cash that it may withdraw. */
  readonly cashHalalas: bigint;
  /** `2026-11-20`. */
  readonly day: string;
  /** Fine gold that it owns. */
  readonly goldMicrograms: bigint;
  /** Its client id. */
  readonly partner: string;
  /** The pool that it draws on. */
  readonly pool: string;
  /** 32 bytes of chance in lower-case hex, other ones each day. */
  readonly salt: string;
}

/** The form of an opening: GET /v1/reserves/{day}/mine, and a line of the auditor's file. */
export const RESERVE_OPENING: Form<ReserveOpening> = record<ReserveOpening>("reserve opening", {
  cashHalalas: member("cash", HALALAS, "Cash when the day ended."),
  day: member("day", STRING, "The day, in Riyadh."),
  goldMicrograms: member("gold_ug", DIGITS, "Fine micrograms when the day ended."),
  partner: member("partner", STRING, "The client id."),
  pool: member("pool", STRING, "The pool that the gold is a share of."),
  salt: member("salt", SHA256_HEX, "32 bytes in hex. Keep it to yourself."),
});

/** Who signs a reserve with the key of receipts. */
export const RESERVE_SIGNERS = ["operator"] as const;

/** What the operator signs: the payload of a JWS of type {@link RESERVE_TYPE}. */
export interface ReserveSignature extends ReserveAttestation {
  /** Who signs. */
  readonly signer: (typeof RESERVE_SIGNERS)[number];
}

/** What an auditor signs that has seen all openings: the payload of a JWS of type {@link ATTESTATION_TYPE}. */
export interface ReserveAttestation {
  /** `2026-11-20`. */
  readonly day: string;
  /** The reserve's hash. */
  readonly hash: string;
}

/** The form of what the operator signs. */
export const RESERVE_SIGNATURE: Form<ReserveSignature> = record<ReserveSignature>(
  "reserve signature",
  {
    day: member("day", STRING, "The day."),
    hash: member("hash", SHA256_HEX, "The reserve's hash."),
    signer: member("signer", oneOf(RESERVE_SIGNERS), "Who signs."),
  },
);

/** The form of what an auditor signs: as it is written it is canonical JSON. */
export const RESERVE_ATTESTATION: Form<ReserveAttestation> = record<ReserveAttestation>(
  "reserve attestation",
  {
    day: member("day", STRING, "The day."),
    hash: member("hash", SHA256_HEX, "The reserve's hash."),
  },
);

/** A reserve as it is published: GET /v1/reserves/{day}. */
export interface PublishedReserve {
  /** Whether an auditor that has seen all openings has signed it. */
  readonly isAttested: boolean;
  /** The auditor's signature, a compact JWS; null until it has signed. */
  readonly attestation: string | null;
  /** The SHA-256 of the text. */
  readonly hash: string;
  /** The reserve: its canonical JSON, for `verifyReserve`. */
  readonly text: string;
  /** The operator's signature, a compact JWS; null until it has signed. */
  readonly signature: string | null;
}

/** The text of a reserve: read from any JSON, it is canonical again. */
const RESERVE_TEXT: Form<string> = {
  shape: RESERVE.shape,
  write: (text) => text,
  read: (value, at) => RESERVE.write(RESERVE.read(value, at)),
};

/** The form of a published reserve. */
export const PUBLISHED_RESERVE: Form<PublishedReserve> = record<PublishedReserve>(
  "published reserve",
  {
    isAttested: member("attested", BOOLEAN, "Whether an auditor that saw all openings signed it."),
    attestation: member("attestation", nullable(STRING), "The auditor's compact JWS, or null."),
    hash: member("hash", SHA256_HEX, "The SHA-256 of the reserve as canonical JSON."),
    text: member("reserve", RESERVE_TEXT, "The reserve, canonical JSON."),
    signature: member("signature", nullable(STRING), "The operator's compact JWS, or null."),
  },
);
