import { QUOTES } from "@sabika/office/reads";
import type { Quote } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { Id, MomentLink, None } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import type { Look } from "../layout/read_table.tsx";
import { QUOTE_MOODS } from "./moods.ts";

/** Quotes of all partners, each with its order, if there is one. */
export const quotes = listPages({
  read: QUOTES,
  entry: "quotes",
  look: (call) => ({
    ...quoteLook(call),
    cells: {
      ...quoteLook(call).cells,
      created_at: ({ id, createdAtMs }) => (
        <MomentLink call={call} path={`/quotes/${id}`} ms={createdAtMs} />
      ),
    },
  }),
});

/** Returns the words, colours and cells of a quote's columns, for all pages. */
export function quoteLook({ language, words }: Call) {
  return {
    states: {
      side: { words: words.side },
      status: { words: words.quotes.statuses, moods: QUOTE_MOODS },
    },
    cells: {
      order_id: ({ orderId }: Quote) =>
        orderId === null ? <None /> : (
          <a href={`/${language}/orders/${orderId}`}>
            <Id text={orderId} />
          </a>
        ),
    },
  } satisfies Look<Quote>;
}
