import { listQuotesOfAll, newestOf, type QuoteOf } from "@sabika/core/oversight";
import {
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatTime,
  parseId,
  SIDES,
} from "@sabika/protocol";
import type { Call } from "../call.ts";
import { grams, price, riyals } from "../format.ts";
import { Code, Moment, PartnerLink, State } from "../layout/inline.tsx";
import { listPages, pageOf } from "../layout/list.tsx";
import type { Column } from "../layout/table.tsx";
import { QUOTE_MOODS } from "./moods.ts";
import { SideOf } from "./orders.tsx";

/** Quotes of all partners, with what became of each. */
export const [quotes, quotesFile] = listPages<QuoteOf>({
  ...{ path: "/quotes", act: "trade.read", entry: "quotes", own: ["side"] },
  caption: (words) => words.quotes.caption,
  nothing: (words) => words.quotes.nothing,
  columns: columnsOf,
  fileColumns: [
    ["quote_id", (one) => one.id],
    ["created_at", (one) => formatTime(one.createdAtMs)],
    ["expires_at", (one) => formatTime(one.expiresAtMs)],
    ["client_id", (one) => one.clientId],
    ["side", (one) => one.side],
    ["status", (one) => one.status],
    ["gold_grams", (one) => formatMicrograms(one.goldMicrograms)],
    ["price_per_gram_sar", (one) => formatPrice(one.pricePerGramTenThousandths)],
    ["fee_sar", (one) => formatHalalas(one.feeHalalas)],
    ["vat_sar", (one) => formatHalalas(one.vatHalalas)],
    ["total_sar", (one) => formatHalalas(one.totalHalalas)],
    ["order_id", (one) => one.orderId],
  ],
  filters: (call, asked) => <SideOf call={call} asked={asked} />,
  async read({ cells, now }, { asked, of }, { before, limit }) {
    const side = SIDES.find((one) => one === asked["side"]);
    const wanted = { ...of, side, limit, before: parseId("qt", before ?? "") };
    const { found, away } = await cells.ofUsable(of.clientId, async (database) => {
      const { quotes: data, next } = await listQuotesOfAll(database, now(), wanted);
      return { data, next };
    });
    return pageOf(newestOf(found, limit), away);
  },
});

function columnsOf(call: Call): Column<QuoteOf>[] {
  const { language, words } = call;
  const { orders, quotes, trade } = words;
  return [
    { head: words.time, cell: (one) => <Moment ms={one.createdAtMs} /> },
    { head: words.partner, cell: (one) => <PartnerLink call={call} clientId={one.clientId} /> },
    { head: orders.side, cell: (one) => words.side[one.side] },
    { head: words.gold, cell: (one) => grams(one.goldMicrograms), isFigure: true },
    { head: orders.price, cell: (one) => price(one.pricePerGramTenThousandths), isFigure: true },
    { head: orders.total, cell: (one) => riyals(one.totalHalalas), isFigure: true },
    {
      head: words.overview.state,
      cell: ({ status }) => <State word={quotes.statuses[status]} mood={QUOTE_MOODS[status]} />,
    },
    { head: trade.expires, cell: (one) => <Moment ms={one.expiresAtMs} /> },
    { head: trade.quote, cell: (one) => <Code text={one.id} /> },
    {
      head: trade.order,
      cell: ({ orderId }) =>
        orderId === null ? "–" : (
          <a href={`/${language}/orders/${orderId}`}>
            <Code text={orderId} />
          </a>
        ),
    },
  ];
}
