import { type Form, PRICE_PER_GRAM, TIME } from "../form.ts";
import { constant, member, record } from "../record_form.ts";

/** The indicative price of a gram of 24K gold (Decision D9). */
export interface Price {
  /** The price of a gram for partners that buy. */
  readonly buyPriceTenThousandths: bigint;
  /** The price of a gram for partners that sell. */
  readonly sellPriceTenThousandths: bigint;
  /** The price between the two. */
  readonly midPriceTenThousandths: bigint;
  /** The time of the price. */
  readonly asOfMs: number;
}

/** The form of GET /v1/prices. */
export const PRICE: Form<Price> = record<Price>("price", {
  $metal: constant('"XAU"'),
  $karat: constant("24"),
  $fineness: constant('"999.9"', "The purity of investment gold; a gram is of fine gold."),
  $currency: constant('"SAR"'),
  $unit: constant('"gram"'),
  buyPriceTenThousandths: member("buy_price_sar", PRICE_PER_GRAM, "What you would pay."),
  sellPriceTenThousandths: member("sell_price_sar", PRICE_PER_GRAM, "What you would get."),
  midPriceTenThousandths: member("mid_price_sar", PRICE_PER_GRAM, "Without your spread."),
  $indicative: constant("true", "Only a quote is firm."),
  asOfMs: member("as_of", TIME, "The time of the price at its source."),
});
