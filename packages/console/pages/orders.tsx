import {
  findOrder,
  listPartners,
  listTrades,
  type Trade,
  type TradeFilter,
} from "@sabika/core/oversight";
import { riyadhDayStart } from "@sabika/core/ledger";
import {
  formatHalalas,
  formatId,
  formatMicrograms,
  formatPrice,
  formatTime,
  parseId,
  SIDES,
} from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { type Cell, csvAnswer, csvLine } from "../csv.ts";
import { grams, price, riyals } from "../format.ts";
import { Code, Moment } from "../layout/inline.tsx";
import { type Column, Table } from "../layout/table.tsx";

const PAGE_LENGTH = 50;
const EXPORT_LENGTH = 1_000;
const DAY_MS = 86_400_000;
const FIELDS = ["partner", "side", "from", "to"] as const;

type Asked = Partial<Record<(typeof FIELDS)[number], string>>;

/** Orders of all partners, by filters that are a link of their own. */
export const orders: Page = {
  path: "/orders",
  act: "trade.read",
  entry: "orders",
  async show(call) {
    const { context, database, language, words } = call;
    const text = context.req.query("find")?.trim() ?? "";
    const found = text === "" ? undefined : await findOrder(database, text);
    if (found !== undefined) {
      return context.redirect(`/${language}/orders/${formatId("ord", found.orderId)}`, 303);
    }
    const { asked, partners, filter, wrong } = await readAsked(call);
    const mistake = text === "" ? wrong : words.orders.foundNothing(text);
    const before = parseId("ord", context.req.query("before") ?? "");
    const { trades, hasMore } = filter === undefined
      ? { trades: [], hasMore: false }
      : await listTrades(database, { ...filter, before, limit: PAGE_LENGTH });
    return {
      title: words.orders.title,
      status: mistake === undefined ? 200 : 400,
      content: (
        <>
          <Search call={call} text={text} />
          <Filter call={call} asked={asked} partners={partners} />
          {mistake !== undefined && <p role="alert" class="wrong">{mistake}</p>}
          <Table
            caption={words.orders.caption}
            columns={columnsOf(call)}
            rows={trades}
            empty={words.orders.nothing}
          />
          <p class="pager">
            {before !== undefined && <a href={linkTo(call, asked)}>{words.orders.newest}</a>}{" "}
            {hasMore && (
              <a rel="next" href={linkTo(call, asked, { before: trades.at(-1)!.id })}>
                {words.orders.older}
              </a>
            )}
          </p>
        </>
      ),
    };
  },
};

/** The same orders as a file, every page of them. */
export const exportOrders: Page = {
  path: "/orders.csv",
  act: "trade.read",
  async show(call) {
    const { filter } = await readAsked(call);
    return filter && csvAnswer("sabika-orders.csv", exported(call, filter));
  },
};

/** The filters of the address; days are Riyadh's, both inclusive. */
async function readAsked({ context, database, words }: Call) {
  const asked: Asked = Object.fromEntries(
    FIELDS.map((name) => [name, context.req.query(name)?.trim()])
      .filter(([, value]) => value !== undefined && value !== ""),
  );
  const { partner, side, from, to } = asked;
  const partners = (await listPartners(database)).map(({ clientId }) => clientId);
  const [first, last] = [from, to].map((day) => day === undefined ? null : riyadhDayStart(day));
  const wrong = first === undefined || last === undefined
    ? words.orders.wrongDay
    : partner !== undefined && !partners.includes(partner)
    ? words.orders.wrongPartner(partner)
    : undefined;
  const filter: Omit<TradeFilter, "limit"> = {
    clientId: partner,
    side: SIDES.find((one) => one === side),
    fromMs: first ?? undefined,
    toMs: last === null || last === undefined ? undefined : last + DAY_MS,
  };
  return { asked, partners, wrong, filter: wrong === undefined ? filter : undefined };
}

function linkTo({ language }: Call, asked: Asked, more: Record<string, string> = {}, ending = "") {
  const query = new URLSearchParams({ ...asked, ...more }).toString();
  return `/${language}/orders${ending}${query === "" ? "" : `?${query}`}`;
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

function Filter({ call, asked, partners }: { call: Call; asked: Asked; partners: string[] }) {
  const { language, words } = call;
  return (
    <form class="line" method="get" action={`/${language}/orders`} aria-label={words.orders.filter}>
      <label for="partner">{words.partner}</label>
      <input id="partner" name="partner" list="partners" value={asked.partner ?? ""} dir="ltr" />
      <datalist id="partners">{partners.map((id) => <option value={id} />)}</datalist>
      <label for="side">{words.orders.side}</label>
      <select id="side" name="side">
        <option value="">{words.any}</option>
        {SIDES.map((side) => (
          <option value={side} selected={asked.side === side}>{words.side[side]}</option>
        ))}
      </select>
      <label for="from">{words.orders.from}</label>
      <input id="from" name="from" type="date" value={asked.from ?? ""} />
      <label for="to">{words.orders.to}</label>
      <input id="to" name="to" type="date" value={asked.to ?? ""} />
      <button type="submit">{words.orders.show}</button>
      <a href={`/${language}/orders`}>{words.orders.clear}</a>
      <a href={linkTo(call, asked, {}, ".csv")}>{words.orders.export}</a>
    </form>
  );
}

function columnsOf({ language, words }: Call): Column<Trade>[] {
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
    { head: words.partner, cell: (one) => <bdi>{one.clientId}</bdi> },
    { head: orders.side, cell: (one) => words.side[one.side] },
    { head: words.gold, cell: (one) => grams(one.goldMicrograms), isFigure: true },
    { head: orders.price, cell: (one) => price(one.pricePerGramTenThousandths), isFigure: true },
    { head: orders.fee, cell: (one) => riyals(one.feeHalalas), isFigure: true },
    { head: orders.total, cell: (one) => riyals(one.totalHalalas), isFigure: true },
    { head: orders.order, cell: (one) => <Code text={one.id} /> },
    { head: orders.reference, cell: (one) => <bdi>{one.clientReference}</bdi> },
  ];
}

/** The columns of the file, in names and numbers that programs read. */
const EXPORTED: readonly (readonly [string, (one: Trade) => Cell])[] = [
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
];

async function* exported({ database }: Call, filter: Omit<TradeFilter, "limit">) {
  yield csvLine(EXPORTED.map(([name]) => name));
  for (let before: string | undefined, more = true; more;) {
    const { trades, hasMore } = await listTrades(database, {
      ...{ ...filter, before, limit: EXPORT_LENGTH },
    });
    yield trades.map((one) => csvLine(EXPORTED.map(([, cell]) => cell(one)))).join("");
    before = trades.length === 0 ? undefined : parseId("ord", trades.at(-1)!.id);
    more = hasMore;
  }
}
