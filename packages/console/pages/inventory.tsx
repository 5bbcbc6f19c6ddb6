import type { VaultReport } from "@sabika/service/vault";
import { fill } from "../languages/fill.ts";
import type { Messages } from "../languages/languages.ts";
import { grams } from "../format.ts";
import { ShareBar } from "../layout/plots.tsx";
import { Table } from "../layout/table.tsx";

interface InventoryProps {
  words: Messages;
  vault: VaultReport;
  /** Whether the report has the partners of every cell. */
  isWhole: boolean;
}

/** The shares of the vault's gold that customers hold, that are for sale and that are free. */
export function Inventory({ words, vault, isWhole }: InventoryProps) {
  const { overview } = words;
  return (
    <section aria-labelledby="inventory">
      <h2 id="inventory">{overview.inventory}</h2>
      {isWhole
        ? <Shares words={words} vault={vault} />
        : <p class="empty">{words.withoutCells.noSum}</p>}
    </section>
  );
}

function Shares({ words, vault }: Omit<InventoryProps, "isWhole">) {
  const { overview } = words;
  const held = vault.partners.reduce((sum, partner) => sum + partner.goldMicrograms, 0n);
  const allocated = vault.partners.reduce((sum, partner) => sum + partner.allocationMicrograms, 0n);
  const parts = [
    { kind: "held", name: overview.held, micrograms: held },
    { kind: "allocated", name: overview.allocated, micrograms: allocated },
    { kind: "free", name: overview.unallocated, micrograms: vault.freeMicrograms },
  ];
  const shareOf = (micrograms: bigint) =>
    vault.barsMicrograms === 0n ? 0 : Number(micrograms * 1_000n / vault.barsMicrograms) / 10;
  return (
    <figure class="card">
      <ShareBar
        alt={fill(overview.inventorySays, {
          held: grams(held),
          allocated: grams(allocated),
          free: grams(vault.freeMicrograms),
        })}
        parts={parts.map(({ kind, micrograms }) => ({ kind, share: Number(micrograms) }))}
      />
      <figcaption>
        <Table
          caption={overview.inventory}
          empty={words.none}
          rows={parts}
          columns={[
            {
              head: overview.whose,
              cell: ({ kind, name }) => <span class={`key ${kind}`}>{name}</span>,
            },
            { head: words.gold, cell: (part) => grams(part.micrograms), isFigure: true },
            {
              head: overview.share,
              cell: (part) => <bdi dir="ltr">{`${shareOf(part.micrograms)} %`}</bdi>,
              isFigure: true,
            },
          ]}
        />
      </figcaption>
    </figure>
  );
}
