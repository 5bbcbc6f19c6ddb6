import { findOrder, listTrades, newestOf, type Trade } from "@sabika/core/oversight";
import {
  formatHalalas,
  formatId,
  formatMicrograms,
  formatPrice,
  formatTime,
  parseId,
  SIDES,
} from "@sabika/protocol";
import type { Call } from "../call.ts";
import { grams, price, riyals } from "../format.ts";
import { type Filter, Select } from "../layout/filter.tsx";
import { Code, Moment, PartnerLink } from "../layout/inline.tsx";
import { listPages, pageOf } from "../layout/list.tsx";
import type { Column } from "../layout/table.tsx";

const PATH = "/orders";

/** Orders of all partners, by filters that are a link of their own, and one by what names it. */
export const [orders, ordersFile] = listPages<Trade>({
  ...{ path: PATH, act: "trade.read", entry: "orders", own: ["side"] },
  caption: (words) => words.orders.caption,
  nothing: (words) => words.orders.nothing,
  columns: columnsOf,
  fileColumns: [
    ["order_id", (one) => one.id],
    ["executed_at", (one) => formatTime(one.executedAtMs)],
    ["client_id", (one) => one.clientId],
    ["side", (one) => one.side],
    ["gold_grams", (one) => formatMicrograms(one.goldMicrograms)],
    ["price_per_gram_sar", (one) => formatPrice(one.pricePerGramTenThousandths)],
    ["fee_sar", (one) => formatHalalas(one.feeHalalas)],
    ["vat_sar", (one) => formatHalalas(one.vatHalalas)],
    ["total_sar", (one) => formatHalalas(one.totalHalalas)],
    ["quote_id", (one) => one.quoteId],
    ["client_reference", (one) => one.clientReference],
  ],
  above: (call) => <Search call={call} text={textOf(call)} />,
  filters: (call, asked) => <SideOf call={call} asked={asked} />,
  async ahead(call) {
    const { context, cells, language, words } = call;
    const text = textOf(call);
    if (text === "") return undefined;
    const found = await cells.findFirst((database) => findOrder(database, text));
    if (found === undefined) return words.orders.foundNothing(text);
    return context.redirect(`/${language}${PATH}/${formatId("ord", found.orderId)}`, 303);
  },
  async read({ cells }, { asked, of }, { before, limit }) {
    const side = SIDES.find((one) => one === asked["side"]);
    const wanted = { ...of, side, limit, before: parseId("ord", before ?? "") };
    const { found, away } = await cells.ofUsable(of.clientId, async (database) => {
      const { trades: data, next } = await listTrades(database, wanted);
      return { data, next };
    });
    return pageOf(newestOf(found, limit), away);
  },
});

const textOf = ({ context }: Call) => context.req.query("find")?.trim() ?? "";

/** The side of a trade, in a filter. */
export function SideOf({ call: { words }, asked }: { call: Call; asked: Filter["asked"] }) {
  const options = SIDES.map((side) => [side, words.side[side]] as const);
  return (
    <Select name="side" label={words.orders.side} any={words.any} options={options} asked={asked} />
  );
}

function Search({ call: { language, words }, text }: { call: Call; text: string }) {
  return (
    <form class="line" role="search" method="get" action={`/${language}/orders`}>
      <label for="find">{words.orders.find}</label>
      <input id="find" name="find" type="search" value={text} aria-describedby="find-hint" />
      <button type="submit">{words.orders.find}</button>
      <small id="find-hint">{words.orders.findHint}</small>
    </form>
  );
}

function columnsOf(call: Call): Column<Trade>[] {
  const { language, words } = call;
  const { orders } = words;
  return [
    {
      head: words.time,
      cell: (one) => (
        <a href={`/${language}/orders/${one.id}`}>
          <Moment ms={one.executedAtMs} />
        </a>
      ),
    },
    { head: words.partner, cell: (one) => <PartnerLink call={call} clientId={one.clientId} /> },
    { head: orders.side, cell: (one) => words.side[one.side] },
    { head: words.gold, cell: (one) => grams(one.goldMicrograms), isFigure: true },
    { head: orders.price, cell: (one) => price(one.pricePerGramTenThousandths), isFigure: true },
    { head: orders.fee, cell: (one) => riyals(one.feeHalalas), isFigure: true },
    { head: orders.total, cell: (one) => riyals(one.totalHalalas), isFigure: true },
    { head: orders.order, cell: (one) => <Code text={one.id} /> },
    { head: orders.reference, cell: (one) => <bdi>{one.clientReference}</bdi> },
  ];
}
