import { canonicalString, sha256Hex } from "../canonical/mod.ts";
import { encodeUtf8 } from "./bytes.ts";
import { openSigned } from "./open_signed.ts";
import { parseJson } from "./parse_json.ts";
import { readOrUndefined } from "./read_or_undefined.ts";
import { isShareRight, isTotalRight, isValueRight } from "./receipt_arithmetic.ts";
import type { SignedEvidence } from "./resources/evidence.ts";
import type { Order } from "./resources/order.ts";
import { poolFineMicrograms, poolVersionHash, readPoolVersion } from "./resources/pool_version.ts";
import { RECEIPT, type Receipt, RECEIPT_TYPE } from "./resources/receipt.ts";
import type { ReceiptKey } from "./resources/receipt_keys.ts";

/** What is checked of a receipt, in this order. */
export const RECEIPT_CHECKS = [
  "signature",
  "value",
  "parts",
  "share",
  "order",
  "request",
  "bars",
] as const;
/** One of {@link RECEIPT_CHECKS}. */
export type ReceiptCheck = (typeof RECEIPT_CHECKS)[number];

/** What can be wrong with a receipt; nothing else is looked at after the first four. */
export const RECEIPT_FAULTS = [
  "malformed",
  "wrong_algorithm",
  "unknown_key",
  "altered",
  "key_ended",
  "value_wrong",
  "parts_do_not_sum",
  "share_wrong",
  "other_order",
  "order_differs",
  "other_request",
  "bars_altered",
  "bars_malformed",
  "bars_do_not_fit",
] as const;
/** One of {@link RECEIPT_FAULTS}. */
export type ReceiptFault = (typeof RECEIPT_FAULTS)[number];

/** A receipt with all that its holder has kept itself. */
export interface ReceiptToVerify {
  /** The receipt: a compact JWS. */
  readonly jws: string;
  /** The published keys, better kept than fetched now. */
  readonly keys: readonly ReceiptKey[];
  /** The text of the pool's version, byte for byte; without it the bars are not checked. */
  readonly bars?: string | undefined;
  /** The partner's own order; without it the order is not checked. */
  readonly order?: Order | undefined;
  /** The partner's own signed request; without it the request is not checked. */
  readonly request?: Omit<SignedEvidence, "keyId" | "signature"> | undefined;
}

/** What holds of a receipt and what does not. */
export interface VerifiedReceipt {
  /** Whether all that was checked holds. */
  readonly ok: boolean;
  /** The receipt; undefined unless a published key signed it. */
  readonly receipt: Receipt | undefined;
  /** What was checked and holds, in the order of {@link RECEIPT_CHECKS}. */
  readonly holds: readonly ReceiptCheck[];
  /** What does not hold, in the order of {@link RECEIPT_FAULTS}. */
  readonly faults: readonly ReceiptFault[];
}

/**
 * Verifies a receipt without a network (Decision D103): that a published key signed it, and that it says the same
 * as the order, the request and the bars that its holder has kept.
 *
 * @example
 * const { ok, faults } = await verifyReceipt({ jws, keys, bars, order, request });
 */
export async function verifyReceipt(input: ReceiptToVerify): Promise<VerifiedReceipt> {
  const read = await readReceipt(input.jws, input.keys);
  if (typeof read === "string") return { ok: false, receipt: undefined, holds: [], faults: [read] };
  const { receipt, key: { validUntilMs } } = read;
  const hasEnded = validUntilMs !== null && receipt.executedAtMs > validUntilMs;
  const { order, request, bars } = input;
  const found: Readonly<Record<ReceiptCheck, ReceiptFault | "not_given" | undefined>> = {
    signature: hasEnded ? "key_ended" : undefined,
    value: isValueRight(receipt) ? undefined : "value_wrong",
    parts: isTotalRight(receipt) ? undefined : "parts_do_not_sum",
    share: isShareRight(receipt) ? undefined : "share_wrong",
    order: order === undefined ? "not_given" : judgeOrder(receipt, order),
    request: request === undefined ? "not_given" : await judgeRequest(receipt, request),
    bars: bars === undefined ? "not_given" : await judgeBars(receipt, bars),
  };
  const holds = RECEIPT_CHECKS.filter((check) => found[check] === undefined);
  const faults = RECEIPT_FAULTS.filter((fault) => Object.values(found).includes(fault));
  return { ok: faults.length === 0, receipt, holds, faults };
}

async function readReceipt(
  text: string,
  keys: readonly ReceiptKey[],
): Promise<{ receipt: Receipt; key: ReceiptKey } | ReceiptFault> {
  const opened = await openSigned(text, RECEIPT_TYPE, keys);
  if (typeof opened === "string") return opened;
  const receipt = readOrUndefined(() => RECEIPT.read(parseJson(opened.payload)));
  return receipt === undefined ? "malformed" : { receipt, key: opened.key };
}

function judgeOrder(receipt: Receipt, order: Order): ReceiptFault | undefined {
  if (receipt.orderId !== order.id) return "other_order";
  const { price, parts, balancesAfter } = receipt;
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [receipt.executedAtMs, order.executedAtMs],
    [receipt.side, order.side],
    [receipt.goldMicrograms, order.goldMicrograms],
    [price.perGramTenThousandths, order.pricePerGramTenThousandths],
    [price.midTenThousandths, order.midPriceTenThousandths],
    [price.source, order.priceSource],
    [price.asOfMs, order.priceAsOfMs],
    [parts.feeHalalas, order.feeHalalas],
    [parts.goldVatHalalas, order.goldVatHalalas],
    [parts.feeVatHalalas, order.feeVatHalalas],
    [parts.goldVatHalalas + parts.feeVatHalalas, order.vatHalalas],
    [parts.totalHalalas, order.totalHalalas],
    [balancesAfter.sarHalalas, order.balances?.sarHalalas],
    [balancesAfter.goldMicrograms, order.balances?.goldMicrograms],
  ];
  // Only the answer to the POST has balances, and other members are absent where they are not known.
  const isSame = pairs.every(([ours, theirs]) => theirs === undefined || ours === theirs);
  return isSame ? undefined : "order_differs";
}

async function judgeRequest(
  receipt: Receipt,
  { url, body, timestampSeconds, nonce }: NonNullable<ReceiptToVerify["request"]>,
): Promise<ReceiptFault | undefined> {
  const bodySha256 = await sha256Hex(encodeUtf8(body));
  const timestamp = String(timestampSeconds);
  const canonical = canonicalString({ method: "POST", url, bodySha256, timestamp, nonce });
  const hash = await sha256Hex(encodeUtf8(canonical));
  return hash === receipt.requestSha256 ? undefined : "other_request";
}

async function judgeBars({ pool }: Receipt, text: string): Promise<ReceiptFault | undefined> {
  if (await poolVersionHash(text) !== pool.hash) return "bars_altered";
  const version = readOrUndefined(() => readPoolVersion(text));
  if (version === undefined) return "bars_malformed";
  const fits = version.pool === pool.id && version.number === pool.version &&
    poolFineMicrograms(version) === pool.fineMicrograms;
  return fits ? undefined : "bars_do_not_fit";
}
