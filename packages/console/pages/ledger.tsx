import { listEntries } from "@sabika/core/ledger";
import {
  ACCOUNTS,
  formatHalalas,
  formatMicrograms,
  formatTime,
  type LedgerEntry,
} from "@sabika/protocol";
import type { Call } from "../call.ts";
import { grams, riyals } from "../format.ts";
import { Select } from "../layout/filter.tsx";
import { Amount, Code, Moment } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import type { Column } from "../layout/table.tsx";

/** A partner's transfers, of all its accounts or one. */
export const [ledger, ledgerFile] = listPages<LedgerEntry>({
  ...{ path: "/ledger", act: "trade.read", entry: "ledger", own: ["account"] },
  caption: (words) => words.ledger.caption,
  nothing: (words) => words.ledger.nothing,
  columns: entryColumns,
  fileColumns: [
    ["number", (one) => one.number],
    ["posted_at", (one) => formatTime(one.postedAtMs)],
    ["asset", (one) => one.asset],
    ["debit_account", (one) => one.debitAccount],
    ["credit_account", (one) => one.creditAccount],
    [
      "amount",
      ({ asset, amount }) => asset === "SAR" ? formatHalalas(amount) : formatMicrograms(amount),
    ],
    ["source_kind", (one) => one.sourceKind],
    ["source_id", (one) => one.sourceId],
  ],
  above: ({ words }) => <p class="soft">{words.ledger.lead}</p>,
  filters: ({ words }, asked) => (
    <Select
      name="account"
      label={words.ledger.account}
      any={words.any}
      options={ACCOUNTS.map((one) => [one, words.accounts[one]] as const)}
      asked={asked}
    />
  ),
  async read({ cells }, { asked, of }, { before, limit }) {
    const home = of.clientId === undefined ? undefined : await cells.homeOf(of.clientId);
    if (home === undefined) return { rows: [], next: undefined };
    const { partnerId, database } = home;
    const account = ACCOUNTS.find((one) => one === asked["account"]);
    const { entries: rows, next } = await listEntries(database, {
      ...{ partnerId, account, limit, fromMs: of.fromMs, toMs: of.toMs },
      before: /^[1-9][0-9]{0,15}$/.test(before ?? "") ? BigInt(before!) : undefined,
    });
    return { rows, next: next === undefined ? undefined : String(next) };
  },
});

/** The columns of transfers. */
export function entryColumns({ language, words }: Call): Column<LedgerEntry>[] {
  const { trade, accounts, units, ledger } = words;
  return [
    { head: trade.number, cell: (one) => one.number, isFigure: true },
    { head: words.time, cell: (one) => <Moment ms={one.postedAtMs} /> },
    { head: trade.debit, cell: (one) => accounts[one.debitAccount] },
    { head: trade.credit, cell: (one) => accounts[one.creditAccount] },
    {
      head: trade.amount,
      isFigure: true,
      cell: ({ asset, amount }) =>
        asset === "SAR"
          ? <Amount figure={riyals(amount)} unit={units.riyals} />
          : <Amount figure={grams(amount)} unit={units.grams} />,
    },
    {
      head: ledger.source,
      cell: ({ sourceKind, sourceId }) =>
        sourceKind === "order"
          ? (
            <a href={`/${language}/orders/${sourceId}`}>
              <Code text={sourceId} />
            </a>
          )
          : <Code text={sourceId} />,
    },
  ];
}
