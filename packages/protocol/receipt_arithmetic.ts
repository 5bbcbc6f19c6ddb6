import type { Receipt } from "./resources/receipt.ts";
import type { Side } from "./resources/side.ts";

/** Price × gold is exact in this unit: a halala is 10⁸ micrograms × ten-thousandths of a riyal. */
const PER_HALALA = 100_000_000n;

/** Returns the value of gold at a price in halalas: rounded up for a buy, down for a sale (Decision D6). */
function goldValueHalalas(
  side: Side,
  goldMicrograms: bigint,
  perGramTenThousandths: bigint,
): bigint {
  const exact = goldMicrograms * perGramTenThousandths;
  return (side === "buy" ? exact + PER_HALALA - 1n : exact) / PER_HALALA;
}

/** Returns whether the value of the parts is price × gold. */
export function isValueRight({ side, goldMicrograms, price, parts }: Receipt): boolean {
  return goldValueHalalas(side, goldMicrograms, price.perGramTenThousandths) ===
    parts.valueHalalas;
}

/** Returns whether the parts come to the total. */
export function isTotalRight({ side, parts }: Receipt): boolean {
  const beside = parts.feeHalalas + parts.goldVatHalalas + parts.feeVatHalalas;
  const { valueHalalas } = parts;
  return (side === "buy" ? valueHalalas + beside : valueHalalas - beside) === parts.totalHalalas;
}

/** Returns whether the share is the partner's gold after the order over the version's, in that very form. */
export function isShareRight({ share, balancesAfter, pool }: Receipt): boolean {
  return share.partnerMicrograms === balancesAfter.goldMicrograms &&
    share.poolMicrograms === pool.fineMicrograms &&
    share.partnerMicrograms <= share.poolMicrograms;
}
