import { ORDERS } from "@sabika/office/reads";
import type { Call } from "../call.ts";
import { linkTo } from "../layout/filter.tsx";
import { MomentLink } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";

/** Orders of all partners, with filters. */
export const orders = listPages({
  read: ORDERS,
  entry: "orders",
  look: orderLook,
  above(call) {
    const { context: { req }, words } = call;
    const asked = ["partner", "from", "to"].flatMap((name) => {
      const value = req.query(name);
      return value ? [[name, value]] : [];
    });
    const href = linkTo(call, "/evidence.jsonl", Object.fromEntries(asked));
    return (
      <p class="pager">
        <a href={href}>{words.orders.evidence}</a>
      </p>
    );
  },
  // The address of the search that this page had.
  beforeRead({ context, language }) {
    const text = context.req.query("find");
    const query = new URLSearchParams({ q: text ?? "" }).toString();
    return Promise.resolve(
      text ? context.redirect(`/${language}/search?${query}`, 303) : undefined,
    );
  },
});

/** Returns the words and cells of an order's columns, for all lists. */
export function orderLook(call: Call) {
  return {
    states: { side: { words: call.words.side } },
    cells: {
      executed_at: ({ id, executedAtMs }: { id: string; executedAtMs: number }) => (
        <MomentLink call={call} path={`/orders/${id}`} ms={executedAtMs} />
      ),
    },
  };
}
