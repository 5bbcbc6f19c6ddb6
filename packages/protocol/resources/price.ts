import { formatPrice, parsePrice } from "../amounts.ts";
import { formatTime } from "../times.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";

/** The indicative price of a gram of 24K gold (Decision D9). */
export interface Price {
  readonly buyPriceTenThousandths: bigint;
  readonly sellPriceTenThousandths: bigint;
  readonly midPriceTenThousandths: bigint;
  readonly asOfMs: number;
}

/** The price's wire form. */
export function priceToJson(price: Price): string {
  return `{"metal":"XAU","karat":24,"fineness":"999.9","currency":"SAR","unit":"gram",` +
    `"buy_price_sar":${formatPrice(price.buyPriceTenThousandths)},` +
    `"sell_price_sar":${formatPrice(price.sellPriceTenThousandths)},` +
    `"mid_price_sar":${formatPrice(price.midPriceTenThousandths)},` +
    `"indicative":true,"as_of":"${formatTime(price.asOfMs)}"}`;
}

/** Reads what `priceToJson` writes. Throws `WireFormatError`. */
export function priceFromJson(value: JsonValue): Price {
  const reader = new ResourceReader(value, "price");
  return {
    buyPriceTenThousandths: reader.amount("buy_price_sar", parsePrice),
    sellPriceTenThousandths: reader.amount("sell_price_sar", parsePrice),
    midPriceTenThousandths: reader.amount("mid_price_sar", parsePrice),
    asOfMs: reader.timeMs("as_of"),
  };
}
