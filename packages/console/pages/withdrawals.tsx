import { listWithdrawalsToPay, type WithdrawalToPay } from "@sabika/core/bank";
import { listWithdrawalsOfAll, newestOf, partOf } from "@sabika/core/oversight";
import { formatHalalas, formatTime, parseId, WITHDRAWAL_STATUSES } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { riyals } from "../format.ts";
import { type Filter, Select } from "../layout/filter.tsx";
import { Code, Moment, PartnerLink, State } from "../layout/inline.tsx";
import { listPages, pageOf } from "../layout/list.tsx";
import type { Column } from "../layout/table.tsx";
import { ActForm, Field } from "./act_form.tsx";
import { WITHDRAWAL_MOODS } from "./moods.ts";

/**
 * Withdrawals to pay, oldest first, with the whole IBAN; or those of a status, a partner or a period,
 * newest first.
 */
export const [withdrawals, withdrawalsFile] = listPages<WithdrawalToPay>({
  ...{ path: "/withdrawals", act: "withdrawal.read", entry: "withdrawals", own: ["status"] },
  caption: (words) => words.pages.withdrawals,
  nothing: (words) => words.withdrawals.nothing,
  columns: columnsOf,
  fileColumns: [
    ["withdrawal_id", (one) => one.id],
    ["created_at", (one) => formatTime(one.createdAtMs)],
    ["completed_at", (one) => one.completedAtMs === null ? null : formatTime(one.completedAtMs)],
    ["client_id", (one) => one.clientId],
    ["status", (one) => one.status],
    ["amount_sar", (one) => formatHalalas(one.amountHalalas)],
    ["iban", (one) => one.iban],
    ["client_reference", (one) => one.clientReference],
    ["failure", (one) => one.failure],
  ],
  filters: ({ words: { withdrawals, overview, any } }, asked) => (
    <Select
      name="status"
      label={overview.state}
      any={withdrawals.toPay}
      asked={asked}
      options={[
        ["all", any],
        ...WITHDRAWAL_STATUSES.map((one) => [one, withdrawals.statuses[one]] as const),
      ]}
    />
  ),
  isOldestFirst: areToPay,
  async read({ cells }, filter, { before, limit }) {
    const { asked, of } = filter;
    const { clientId } = of;
    if (areToPay(filter)) {
      const wanted = {
        ...(clientId !== undefined && { clientId }),
        ...{ after: parseId("wd", before ?? ""), limit: limit + 1 },
      };
      const { found, away } = await cells.ofUsable(
        clientId,
        ({ sql }) => listWithdrawalsToPay(sql, wanted),
      );
      const rows = found.flat().sort((a, b) => a.createdAtMs - b.createdAtMs);
      const { data, next = null } = partOf(rows.slice(0, limit), rows.length > limit);
      return pageOf({ data, nextCursor: next }, away);
    }
    const status = WITHDRAWAL_STATUSES.find((one) => one === asked["status"]);
    const wanted = { ...of, status, limit, before: parseId("wd", before ?? "") };
    const { found, away } = await cells.ofUsable(clientId, async (database) => {
      const { withdrawals, hasMore } = await listWithdrawalsOfAll(database, wanted);
      return partOf(withdrawals, hasMore);
    });
    return pageOf(newestOf(found, limit), away);
  },
});

/** Without a status or a period it is those that are to be paid. */
function areToPay({ asked, of: { fromMs, toMs } }: Filter): boolean {
  return (asked["status"] ?? fromMs ?? toMs) === undefined;
}

function columnsOf(call: Call): Column<WithdrawalToPay>[] {
  const { words } = call;
  const { withdrawals } = words;
  return [
    { head: words.time, cell: (one) => <Moment ms={one.createdAtMs} /> },
    { head: words.partner, cell: (one) => <PartnerLink call={call} clientId={one.clientId} /> },
    { head: withdrawals.amount, cell: (one) => riyals(one.amountHalalas), isFigure: true },
    { head: words.partners.iban, cell: (one) => <Code text={one.iban} /> },
    {
      head: words.overview.state,
      cell: ({ status }) => (
        <State word={withdrawals.statuses[status]} mood={WITHDRAWAL_MOODS[status]} />
      ),
    },
    { head: withdrawals.completed, cell: (one) => <Moment ms={one.completedAtMs} /> },
    { head: words.orders.reference, cell: (one) => <bdi>{one.clientReference ?? "–"}</bdi> },
    { head: words.overview.reason, cell: (one) => <bdi>{one.failure ?? "–"}</bdi> },
    { head: words.trade.number, cell: (one) => <Code text={one.id} /> },
    { head: words.approvals.act, cell: (one) => <Ways call={call} withdrawal={one} /> },
  ];
}

/** What can become of it now. */
function Ways({ call, withdrawal: { id, status } }: { call: Call; withdrawal: WithdrawalToPay }) {
  const given = { withdrawal: id };
  if (status === "pending") {
    return (
      <div class="acts">
        <ActForm call={call} act="withdrawal.processing" given={given} />
        <ActForm call={call} act="withdrawal.cancelled" given={given} />
      </div>
    );
  }
  if (status !== "processing") return <span class="soft">–</span>;
  return (
    <div class="acts">
      <ActForm call={call} act="withdrawal.completed" given={given} />
      <ActForm call={call} act="withdrawal.failed" given={given}>
        <Field name="failure" label={call.words.overview.reason} about={id} />
      </ActForm>
    </div>
  );
}
