import { formatId, type Receipt, type ReceiptCount } from "@sabika/protocol";
import type { OrderFacts } from "./order_facts.ts";

/** An order of which everything is kept that a receipt says. */
export type WholeFacts = { readonly [Name in keyof OrderFacts]: NonNullable<OrderFacts[Name]> };

/** What is null where it is not known, and must be known. */
const NEEDED = [
  "partner",
  "priceSource",
  "priceNumber",
  "feeVatHalalas",
  "poolId",
  "poolVersion",
  "poolHash",
  "poolMicrograms",
  "requestSha256",
] as const;

/** Whether everything is kept that a receipt says; not of orders of before receipts. */
export const isWhole = (facts: OrderFacts): boolean => NEEDED.every((name) => facts[name] !== null);

/**
 * Makes the receipt of an order of which everything is kept (Decision D103). From the same rows it is the same.
 *
 * @param count the last count of the pool at the time of the order
 */
export function receiptOf(
  facts: OrderFacts,
  count: ReceiptCount | null,
): Receipt {
  const { side, totalHalalas, feeHalalas, vatHalalas } = facts;
  const whole = facts as WholeFacts;
  const besideValue = feeHalalas + vatHalalas;
  return {
    orderId: formatId("ord", facts.orderId),
    partner: facts.partner,
    executedAtMs: facts.executedAtMs,
    side,
    goldMicrograms: facts.goldMicrograms,
    price: {
      midTenThousandths: facts.midTenThousandths,
      perGramTenThousandths: facts.priceTenThousandths,
      unit: "SAR/g",
      source: whole.priceSource,
      asOfMs: facts.priceAsOfMs,
      number: whole.priceNumber,
    },
    parts: {
      valueHalalas: side === "buy" ? totalHalalas - besideValue : totalHalalas + besideValue,
      feeHalalas,
      goldVatHalalas: vatHalalas - whole.feeVatHalalas,
      feeVatHalalas: whole.feeVatHalalas,
      totalHalalas,
    },
    balancesAfter: {
      sarHalalas: facts.cashAfterHalalas,
      goldMicrograms: facts.goldAfterMicrograms,
    },
    pool: {
      id: whole.poolId,
      version: whole.poolVersion,
      hash: whole.poolHash,
      fineMicrograms: whole.poolMicrograms,
    },
    share: {
      partnerMicrograms: facts.goldAfterMicrograms,
      poolMicrograms: whole.poolMicrograms,
    },
    count,
    requestSha256: whole.requestSha256,
  };
}
