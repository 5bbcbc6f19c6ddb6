import { QUOTES } from "@sabika/office/reads";
import { Id, None } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { QUOTE_MOODS } from "./moods.ts";

/** Quotes of all partners, each with its order, if there is one. */
export const [quotes, quotesFile] = listPages({
  read: QUOTES,
  entry: "quotes",
  look: ({ language, words }) => ({
    states: {
      side: { words: words.side },
      status: { words: words.quotes.statuses, moods: QUOTE_MOODS },
    },
    cells: {
      order_id: ({ orderId }) =>
        orderId === null ? <None /> : (
          <a href={`/${language}/orders/${orderId}`}>
            <Id text={orderId} />
          </a>
        ),
    },
  }),
});
