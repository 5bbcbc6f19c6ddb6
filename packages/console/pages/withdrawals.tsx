import type { WithdrawalToPay } from "@sabika/service/bank";
import { PAST_WITHDRAWALS, WITHDRAWALS } from "@sabika/office/reads";
import { formatHalalas, WITHDRAWAL_STATUSES } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { type Filter, Select } from "../layout/filter.tsx";
import { Id, MomentLink, None } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import type { Look } from "../layout/read_table.tsx";
import { ActForm } from "./act_form.tsx";
import { WITHDRAWAL_MOODS } from "./moods.ts";

/**
 * Withdrawals to pay, oldest first, with the whole IBAN; or those of a status, a partner or a period,
 * newest first.
 */
export const withdrawals = listPages({
  read: PAST_WITHDRAWALS,
  readFor: (filter) => areToPay(filter) ? WITHDRAWALS : PAST_WITHDRAWALS,
  entry: "withdrawals",
  isOldestFirst: areToPay,
  look: (call) => ({
    ...listedWithdrawalLook(call),
    extraColumns: [{
      head: call.words.approvals.act,
      cell: (withdrawal) => <WithdrawalSteps call={call} withdrawal={withdrawal} />,
    }],
  }),
  filters: ({ words: { withdrawals, overview, any } }, asked) => (
    <Select
      name="status"
      label={overview.state}
      emptyLabel={withdrawals.toPay}
      chosen={asked["status"]}
      options={[
        ["all", any],
        ...WITHDRAWAL_STATUSES.map((status) => [status, withdrawals.statuses[status]] as const),
      ]}
    />
  ),
});

/** Whether the filter asks for withdrawals to pay, which it does without a status or a period. */
function areToPay({ asked, narrowed: { fromMs, toMs } }: Filter): boolean {
  return (asked["status"] ?? fromMs ?? toMs) === undefined;
}

/** Returns the words, colours and cells of a withdrawal's columns, for all pages. */
export function withdrawalLook({ words }: Call) {
  return {
    states: { status: { words: words.withdrawals.statuses, moods: WITHDRAWAL_MOODS } },
    cells: { iban: ({ iban }: WithdrawalToPay) => <Id text={iban} isWhole /> },
  } satisfies Look<WithdrawalToPay>;
}

/** As `withdrawalLook`, for lists, which link to the page of each. */
export function listedWithdrawalLook(call: Call) {
  const { states, cells } = withdrawalLook(call);
  return {
    states,
    cells: {
      ...cells,
      created_at: ({ id, createdAtMs }: WithdrawalToPay) => (
        <MomentLink call={call} path={`/withdrawals/${id}`} ms={createdAtMs} />
      ),
    },
  };
}

/** Forms for the steps that its status allows. */
export function WithdrawalSteps({ call, withdrawal }: { call: Call; withdrawal: WithdrawalToPay }) {
  const { id, status, clientId, amountHalalas } = withdrawal;
  const input = { withdrawal: id, partner: clientId, amount_sar: formatHalalas(amountHalalas) };
  if (status === "pending") {
    return (
      <div class="acts">
        <ActForm call={call} act="withdrawal.processing" fixed={input} />
        <ActForm call={call} act="withdrawal.cancelled" fixed={input} />
      </div>
    );
  }
  if (status !== "processing") return <None />;
  return (
    <div class="acts">
      <ActForm call={call} act="withdrawal.completed" fixed={input} />
      <ActForm call={call} act="withdrawal.failed" fixed={input} />
    </div>
  );
}
