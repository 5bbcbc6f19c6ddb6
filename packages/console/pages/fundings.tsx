import { type FundingOf, listFundings, newestOf, partOf } from "@sabika/core/oversight";
import { formatHalalas, formatTime, parseId } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { riyals } from "../format.ts";
import { Code, Moment, PartnerLink } from "../layout/inline.tsx";
import { listPages, pageOf } from "../layout/list.tsx";
import type { Column } from "../layout/table.tsx";
import { ActForm, Field } from "./act_form.tsx";

/** Money that came in, of all partners, and where a bank transfer is credited. */
export const [fundings, fundingsFile] = listPages<FundingOf>({
  ...{ path: "/fundings", act: "trade.read", entry: "fundings" },
  caption: (words) => words.fundings.caption,
  nothing: (words) => words.fundings.nothing,
  columns: columnsOf,
  fileColumns: [
    ["funding_id", (one) => one.id],
    ["created_at", (one) => formatTime(one.createdAtMs)],
    ["client_id", (one) => one.clientId],
    ["amount_sar", (one) => formatHalalas(one.amountHalalas)],
    ["balance_sar", (one) => formatHalalas(one.balanceHalalas)],
    ["reference", (one) => one.reference],
  ],
  above: (call) => (
    <ActForm call={call} act="funding.credit" given={{}}>
      <Field name="partner" label={call.words.partner} about="credit" />
      <Field name="amount_sar" label={call.words.withdrawals.amount} about="credit" />
      <Field name="reference" label={call.words.orders.reference} about="credit" />
    </ActForm>
  ),
  async read({ cells }, { of }, { before, limit }) {
    const wanted = { ...of, limit, before: parseId("fund", before ?? "") };
    const { found, away } = await cells.ofUsable(of.clientId, async (database) => {
      const { fundings, hasMore } = await listFundings(database, wanted);
      return partOf(fundings, hasMore);
    });
    return pageOf(newestOf(found, limit), away);
  },
});

function columnsOf(call: Call): Column<FundingOf>[] {
  const { words } = call;
  return [
    { head: words.time, cell: (one) => <Moment ms={one.createdAtMs} /> },
    { head: words.partner, cell: (one) => <PartnerLink call={call} clientId={one.clientId} /> },
    {
      head: words.withdrawals.amount,
      cell: (one) => riyals(one.amountHalalas),
      isFigure: true,
    },
    { head: words.fundings.after, cell: (one) => riyals(one.balanceHalalas), isFigure: true },
    { head: words.orders.reference, cell: (one) => <bdi>{one.reference ?? "–"}</bdi> },
    { head: words.partners.id, cell: (one) => <Code text={one.id} /> },
  ];
}
