import { formatPrice } from "../amounts.ts";
import { formatTime } from "../times.ts";

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
