import { listWithdrawalsToPay } from "@sabika/core/bank";
import { WITHDRAWAL_STATUSES } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { riyals } from "../format.ts";
import { Code, Moment, State } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { ActForm, Field } from "./act_form.tsx";
import { WITHDRAWAL_MOODS } from "./moods.ts";

const SHOWN = 200;

/** Withdrawals to pay, or those of one status, oldest first; with the whole IBAN. */
export const withdrawals: Page = {
  path: "/withdrawals",
  act: "withdrawal.read",
  entry: "withdrawals",
  async show(call) {
    const { context, database: { sql }, language, words } = call;
    const { withdrawals, trade } = words;
    const status = WITHDRAWAL_STATUSES.find((one) => one === context.req.query("status"));
    const rows = await listWithdrawalsToPay(sql, { limit: SHOWN, ...(status && { status }) });
    const path = `/${language}/withdrawals`;
    return {
      title: words.pages.withdrawals,
      content: (
        <>
          <nav class="inline" aria-label={words.orders.filter}>
            <a href={path} aria-current={status === undefined ? "page" : undefined}>
              {withdrawals.toPay}
            </a>
            {WITHDRAWAL_STATUSES.map((one) => (
              <a href={`${path}?status=${one}`} aria-current={status === one ? "page" : undefined}>
                {withdrawals.statuses[one]}
              </a>
            ))}
          </nav>
          <ActForm call={call} act="funding.credit" given={{}}>
            <Field name="partner" label={words.partner} about="credit" />
            <Field name="amount_sar" label={withdrawals.amount} about="credit" />
            <Field name="reference" label={words.orders.reference} about="credit" />
          </ActForm>
          <Table
            caption={words.pages.withdrawals}
            empty={withdrawals.nothing}
            rows={rows}
            columns={[
              { head: words.time, cell: (one) => <Moment ms={one.createdAtMs} /> },
              { head: words.partner, cell: (one) => <bdi>{one.clientId}</bdi> },
              {
                head: withdrawals.amount,
                cell: (one) => riyals(one.amountHalalas),
                isFigure: true,
              },
              { head: words.partners.iban, cell: (one) => <Code text={one.iban} /> },
              {
                head: words.overview.state,
                cell: (one) => (
                  <State
                    word={withdrawals.statuses[one.status]}
                    mood={WITHDRAWAL_MOODS[one.status]}
                  />
                ),
              },
              { head: withdrawals.completed, cell: (one) => <Moment ms={one.completedAtMs} /> },
              {
                head: words.orders.reference,
                cell: (one) => <bdi>{one.clientReference ?? "–"}</bdi>,
              },
              { head: words.overview.reason, cell: (one) => <bdi>{one.failure ?? "–"}</bdi> },
              { head: trade.number, cell: (one) => <Code text={one.id} /> },
              { head: words.approvals.act, cell: (one) => <Ways call={call} withdrawal={one} /> },
            ]}
          />
        </>
      ),
    };
  },
};

/** What can become of it now. */
function Ways({ call, withdrawal: { id, status } }: {
  call: Call;
  withdrawal: Awaited<ReturnType<typeof listWithdrawalsToPay>>[number];
}) {
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
