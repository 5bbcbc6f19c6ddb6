import { findOrder } from "@sabika/office/oversight";
import { ORDERS } from "@sabika/office/reads";
import { formatId } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { Moment } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";

/** Orders of all partners, with filters; a search finds an order by an id or key. */
export const [orders, ordersFile] = listPages({
  read: ORDERS,
  entry: "orders",
  look: ({ language, words }) => ({
    states: { side: { words: words.side } },
    cells: {
      executed_at: (order) => (
        <a href={`/${language}/orders/${order.id}`}>
          <Moment ms={order.executedAtMs} />
        </a>
      ),
    },
  }),
  above: (call) => <Search call={call} text={textOf(call)} />,
  async beforeRead(call) {
    const { context, cells, language, words } = call;
    const text = textOf(call);
    if (text === "") return undefined;
    const found = await cells.findFirst((database) => findOrder(database, text));
    if (found === undefined) return fill(words.orders.foundNothing, { text });
    return context.redirect(`/${language}/orders/${formatId("ord", found.orderId)}`, 303);
  },
});

const textOf = ({ context }: Call) => context.req.query("find")?.trim() ?? "";

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
