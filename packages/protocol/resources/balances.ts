import { formatHalalas, formatMicrograms } from "../amounts.ts";

/** What a partner can spend: money and gold (Decision D19). */
export interface Balances {
  readonly sarHalalas: bigint;
  readonly goldMicrograms: bigint;
}

/** The balances' wire form. */
export function balancesToJson(balances: Balances): string {
  return `{"sar":${formatHalalas(balances.sarHalalas)},` +
    `"gold_grams":${formatMicrograms(balances.goldMicrograms)}}`;
}
