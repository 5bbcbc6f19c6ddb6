import type { Trading } from "@sabika/service/trading";
import { PRICE } from "@sabika/protocol";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/prices: the indicative price on the partner's terms (Decision D9). */
export function pricesRoute(trading: Pick<Trading, "price">): Route<ReadCall> {
  return ({ partner }) => {
    const price = trading.price(partner.settings);
    return price.ok ? json(PRICE.write(price.value)) : price;
  };
}
