import type { WithdrawalToPay } from "@sabika/service/bank";
import { PAST_WITHDRAWALS, WITHDRAWALS } from "@sabika/office/reads";
import { formatHalalas, WITHDRAWAL_STATUSES } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { type Filter, Select } from "../layout/filter.tsx";
import { Id, None } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { ActForm } from "./act_form.tsx";
import { WITHDRAWAL_MOODS } from "./moods.ts";

/**
 * Withdrawals to pay, oldest first, with the whole IBAN; or those of a status, a partner or a period,
 * newest first.
 */
export const [withdrawals, withdrawalsFile] = listPages({
  read: PAST_WITHDRAWALS,
  readFor: (filter) => areToPay(filter) ? WITHDRAWALS : PAST_WITHDRAWALS,
  entry: "withdrawals",
  isOldestFirst: areToPay,
  look: (call) => ({
    states: { status: { words: call.words.withdrawals.statuses, moods: WITHDRAWAL_MOODS } },
    cells: { iban: ({ iban }) => <Id text={iban} isWhole /> },
    extraColumns: [{
      head: call.words.approvals.act,
      cell: (withdrawal) => <Steps call={call} withdrawal={withdrawal} />,
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

/** Forms for the steps that its status allows. */
function Steps({ call, withdrawal }: { call: Call; withdrawal: WithdrawalToPay }) {
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
