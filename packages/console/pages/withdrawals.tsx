import { listWithdrawalsToPay } from "@sabika/core/bank";
import { WITHDRAWAL_STATUSES } from "@sabika/protocol";
import type { Page } from "../call.ts";
import { riyals } from "../format.ts";
import { Code, Moment, State } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { WITHDRAWAL_MOODS } from "./moods.ts";

const SHOWN = 200;

/** Withdrawals to pay, or those of one status, oldest first; with the whole IBAN. */
export const withdrawals: Page = {
  path: "/withdrawals",
  act: "withdrawal.read",
  entry: "withdrawals",
  async show({ context, database: { sql }, language, words }) {
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
            ]}
          />
        </>
      ),
    };
  },
};
