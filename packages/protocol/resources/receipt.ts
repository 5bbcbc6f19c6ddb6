import { COUNTING, DIGITS, SHA256_HEX } from "../digit_forms.ts";
import {
  type Form,
  HALALAS,
  id,
  nullable,
  oneOf,
  PRICE_PER_GRAM,
  STRING,
  TIME,
  unreadable,
} from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, record } from "../record_form.ts";
import { BALANCES, type Balances } from "./balances.ts";
import { type Side, SIDE_SAYS, SIDES } from "./side.ts";

/** The `typ` of a receipt's JWS. */
export const RECEIPT_TYPE = "sabika-receipt";

/** The media type of a receipt (RFC 7515 §9.2.1). */
export const RECEIPT_MEDIA_TYPE = "application/jose";

/** The receipt of an order: what was traded, and the share of which bars is owned (Decision D103). */
export interface Receipt {
  /** The order. */
  readonly orderId: Id<"ord">;
  /** The partner's client id. */
  readonly partner: string;
  /** When the order was executed. */
  readonly executedAtMs: number;
  /** Whether the partner bought or sold. */
  readonly side: Side;
  /** The amount of fine gold. */
  readonly goldMicrograms: bigint;
  /** The price. */
  readonly price: ReceiptPrice;
  /** What the total consists of. */
  readonly parts: ReceiptParts;
  /** The partner's balances right after the order. */
  readonly balancesAfter: Balances;
  /** The version of the pool that was in force. */
  readonly pool: ReceiptPool;
  /** The partner's share of the pool. */
  readonly share: ReceiptShare;
  /** The last count of the pool's bars; null if there was none. */
  readonly count: ReceiptCount | null;
  /** SHA-256 of the string that the partner signed (Decision D20), lower-case hex. */
  readonly requestSha256: string;
}

/** The price of a receipt, in ten-thousandths of a riyal per gram. */
export interface ReceiptPrice {
  /** The mid price; null if the partner's terms do not disclose the spread (Decision D93). */
  readonly midTenThousandths: bigint | null;
  /** The price at which the order was executed. */
  readonly perGramTenThousandths: bigint;
  /** The unit of both. */
  readonly unit: "SAR/g";
  /** Where it came from. */
  readonly source: string;
  /** Its source's own time; null if it is not known. */
  readonly asOfMs: number | null;
  /** Its number in the book of prices. */
  readonly number: bigint;
}

/** The parts of a total (Decisions D6, D93): a buy's sum, or a sale's value less the others. */
export interface ReceiptParts {
  /** Price × gold. */
  readonly valueHalalas: bigint;
  /** The fee. */
  readonly feeHalalas: bigint;
  /** The VAT on the gold. */
  readonly goldVatHalalas: bigint;
  /** The VAT on the fee. */
  readonly feeVatHalalas: bigint;
  /** What a buy cost, what a sale brought. */
  readonly totalHalalas: bigint;
}

/** A version of a pool as a receipt names it. */
export interface ReceiptPool {
  /** The pool's id. */
  readonly id: string;
  /** The version's number. */
  readonly version: number;
  /** The version's hash. */
  readonly hash: string;
  /** The version's fine weight. */
  readonly fineMicrograms: bigint;
}

/** A share as two whole numbers, as they are: not reduced. */
export interface ReceiptShare {
  /** The partner's fine micrograms after the order. */
  readonly partnerMicrograms: bigint;
  /** The version's fine micrograms. */
  readonly poolMicrograms: bigint;
}

/** A count as a receipt names it. */
export interface ReceiptCount {
  /** The number of the version that was counted. */
  readonly version: number;
  /** When. */
  readonly atMs: number;
  /** Who counted. */
  readonly by: string;
}

const SHARE: Form<ReceiptShare> = {
  shape: { type: "array", items: DIGITS.shape },
  write: ({ partnerMicrograms, poolMicrograms }) => `["${partnerMicrograms}","${poolMicrograms}"]`,
  read(value, at) {
    if (!Array.isArray(value) || value.length !== 2) unreadable(at, "is not a pair");
    const [partner, pool] = value.map((item) => DIGITS.read(item, at));
    return { partnerMicrograms: partner!, poolMicrograms: pool! };
  },
};

const PRICE = record<ReceiptPrice>("receipt price", {
  midTenThousandths: member(
    "mid",
    nullable(PRICE_PER_GRAM),
    "The mid price; null unless your terms disclose the spread.",
  ),
  perGramTenThousandths: member("per_gram", PRICE_PER_GRAM, "The price of the order."),
  unit: member("unit", oneOf(["SAR/g"]), "The unit of both."),
  source: member("source", STRING, "Where it came from."),
  asOfMs: member("as_of", nullable(TIME), "Its source's own time, or null."),
  number: member("number", DIGITS, "Its number in the book of prices."),
});

const PARTS = record<ReceiptParts>("receipt parts", {
  valueHalalas: member("value", HALALAS, "Price × gold."),
  feeHalalas: member("fee", HALALAS, "The fee."),
  goldVatHalalas: member("gold_vat", HALALAS, "The VAT on the gold."),
  feeVatHalalas: member("fee_vat", HALALAS, "The VAT on the fee."),
  totalHalalas: member("total", HALALAS, "What a buy cost, what a sale brought."),
  $currency: constant('"SAR"'),
});

const POOL = record<ReceiptPool>("receipt pool", {
  id: member("id", STRING, "The pool."),
  version: member("version", COUNTING, "The version in force when the order was executed."),
  hash: member("hash", SHA256_HEX, "The hash of its bar list."),
  fineMicrograms: member("fine_ug", DIGITS, "Its fine micrograms."),
});

const COUNT = record<ReceiptCount>("receipt count", {
  version: member("version", COUNTING, "The version that was counted."),
  atMs: member("at", TIME, "When."),
  by: member("by", STRING, "Who counted."),
});

/** The form of a receipt: the payload of its JWS. */
export const RECEIPT: Form<Receipt> = record<Receipt>("receipt", {
  orderId: member("order_id", id("ord"), "The order."),
  partner: member("partner", STRING, "Your client id."),
  executedAtMs: member("executed_at", TIME, "When the order was executed."),
  side: member("side", oneOf(SIDES), SIDE_SAYS),
  goldMicrograms: member("gold_ug", DIGITS, "Fine micrograms."),
  price: member("price", PRICE),
  parts: member("parts", PARTS, "What the total consists of."),
  balancesAfter: member("balances_after", BALANCES, "Right after the order."),
  pool: member("pool", POOL),
  share: member("share", SHARE, "Your fine micrograms, and the version's."),
  count: member("count", nullable(COUNT), "The last count of the bars, or null."),
  requestSha256: member("request_sha256", SHA256_HEX, "SHA-256 of the string that you signed."),
});
