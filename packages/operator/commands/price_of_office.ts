import { THE_PRICES } from "@sabika/office/reads";
import { formatPrice, formatTime } from "@sabika/protocol";
import type { Shown } from "../command/command.ts";
import { amount, time } from "../command/json.ts";
import { list } from "../command/table.ts";
import type { Session } from "../connect/session.ts";
import { readOne } from "../reads/read.ts";

/** Shows where prices come from, as the office answers it: of a feed, only its URL. */
export async function priceOfOffice(session: Session): Promise<Shown> {
  const prices = await readOne(session, THE_PRICES);
  const { source, paused, updatedAtMs, midTenThousandths: mid, feedUrl } = prices;
  return {
    json: {
      source,
      paused,
      updated_at: time(updatedAtMs),
      settings: {
        ...mid === null ? {} : { mid_price_sar: amount(formatPrice(mid)) },
        ...feedUrl === null ? {} : { url: feedUrl },
      },
    },
    text: list([
      ["source", source],
      ["quoting", paused ? "paused" : "yes"],
      ...mid === null ? [] : [["price", `${formatPrice(mid)} SAR per gram`] as const],
      ...feedUrl === null ? [] : [["URL", feedUrl] as const],
      ["set", formatTime(updatedAtMs)],
    ]),
  };
}
