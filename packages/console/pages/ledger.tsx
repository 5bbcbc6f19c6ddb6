import { LEDGER } from "@sabika/office/reads";
import type { LedgerEntry } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { grams, riyals } from "../format.ts";
import { Amount, Id } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { type Look, ReadTable } from "../layout/read_table.tsx";

/** A partner's transfers, of all its accounts or one. */
export const ledger = listPages({
  read: LEDGER,
  entry: "ledger",
  look: lookOf,
  above: ({ words }) => <p class="soft">{words.ledger.lead}</p>,
});

/** A table of transfers, with the columns of the ledger. */
export function Entries({ call, entries, ...table }: {
  call: Call;
  entries: readonly LedgerEntry[];
  section?: string;
  caption?: string;
  empty?: string;
}) {
  return <ReadTable {...table} call={call} read={LEDGER} items={entries} look={lookOf(call)} />;
}

function lookOf({ language, words: { accounts, units } }: Call): Look<LedgerEntry> {
  return {
    states: {
      account: { words: accounts },
      debit_account: { words: accounts },
      credit_account: { words: accounts },
    },
    cells: {
      amount: ({ asset, amount }) =>
        asset === "SAR"
          ? <Amount figure={riyals(amount)} unit={units.riyals} />
          : <Amount figure={grams(amount)} unit={units.grams} />,
      source_id: ({ sourceKind, sourceId }) =>
        sourceKind === "order"
          ? (
            <a href={`/${language}/orders/${sourceId}`}>
              <Id text={sourceId} />
            </a>
          )
          : <Id text={sourceId} />,
    },
  };
}
