import { PARTNERS_EVENTS } from "@sabika/office/reads";
import { fill } from "../languages/fill.ts";
import { listPages } from "../layout/list.tsx";
import { ActForm } from "./act_form.tsx";
import { DELIVERY_MOODS } from "./moods.ts";

/** One partner's events, and the state of each delivery. */
export const deliveries = listPages({
  read: PARTNERS_EVENTS,
  act: "partner.read",
  title: ({ context, words }) =>
    fill(words.deliveries.title, { partner: context.req.param("partner") ?? "" }),
  look: (call) => ({
    states: { status: { words: call.words.trade.delivery, moods: DELIVERY_MOODS } },
    extraColumns: [{
      head: call.words.approvals.act,
      cell: ({ id }) => {
        const input = { partner: call.context.req.param("partner") ?? "", event: id };
        return <ActForm call={call} act="webhook.redeliver" fixed={input} />;
      },
    }],
  }),
});
