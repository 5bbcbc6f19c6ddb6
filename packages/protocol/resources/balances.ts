import { formatHalalas, formatMicrograms, parseHalalas, parseMicrograms } from "../amounts.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";

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

/** Reads what `balancesToJson` writes. Throws `WireFormatError`. */
export function balancesFromJson(value: JsonValue): Balances {
  const reader = new ResourceReader(value, "balances");
  return {
    sarHalalas: reader.amount("sar", parseHalalas),
    goldMicrograms: reader.amount("gold_grams", parseMicrograms),
  };
}
