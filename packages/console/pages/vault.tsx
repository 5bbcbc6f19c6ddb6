import { listBars, listPools, readVaultReport } from "@sabika/service/vault";
import { BARS, POOLS } from "@sabika/office/reads";
import { mayDo } from "@sabika/terms";
import { type WeighedBar, WEIGHT_LIST_HEAD, weightListLine } from "@sabika/terms/weight-list";
import type { Page } from "../call.ts";
import { grams } from "../format.ts";
import { file } from "../layout/file.ts";
import { Pager } from "../layout/filter.tsx";
import { Code, PartnerLink } from "../layout/inline.tsx";
import { readFile } from "../layout/list.tsx";
import { ReadTable } from "../layout/read_table.tsx";
import { Table } from "../layout/table.tsx";
import { WithoutCells } from "../layout/without_cells.tsx";
import { ActForm } from "./act_form.tsx";
import { CountLink } from "./counts.tsx";
import { Inventory } from "./inventory.tsx";

/** How many bars a page shows. */
const SHOWN = 100;

/** The acts on bars that need more than a serial. */
const BAR_ACTS = [
  "vault.bar.add",
  "vault.bar.move",
  "vault.bars.add",
  "vault.bar.replace",
] as const;

/** The bars, and the partners whose gold they back. */
export const vault: Page = {
  path: "/vault",
  act: "vault.read",
  entry: "vault",
  async show(call) {
    const { cells, context, words } = call;
    const { found: [{ sql }, ...others], away } = await cells.usable();
    const [report, bars, pools] = await Promise.all([
      readVaultReport(sql, others.map((cell) => cell.sql)),
      listBars(sql),
      listPools(sql),
    ]);
    const before = context.req.query("before");
    const start = bars.findIndex(({ serial }) => serial === before) + 1;
    const shown = bars.slice(start, start + SHOWN);
    const next = bars.length > start + SHOWN ? shown.at(-1)!.serial : undefined;
    const pager = { call, path: "/vault", asked: {}, before, next, isOldestFirst: true };
    const { vault, partners } = words;
    const drawing = report.partners.filter((partner) =>
      partner.goldMicrograms > 0n || partner.allocationMicrograms > 0n
    );
    return {
      title: words.pages.vault,
      content: (
        <>
          <WithoutCells words={words} away={away} />
          <Inventory words={words} vault={report} isWhole={away.length === 0} />
          <section aria-labelledby="drawing">
            <h2 id="drawing">{vault.drawing}</h2>
            <ActForm call={call} act="vault.allocate" />
            <ActForm call={call} act="vault.release" />
            <Table
              caption={vault.drawing}
              empty={words.none}
              rows={drawing}
              columns={[
                {
                  head: words.partner,
                  cell: ({ clientId }) => <PartnerLink call={call} clientId={clientId} />,
                },
                {
                  head: vault.held,
                  cell: (partner) => grams(partner.goldMicrograms),
                  isFigure: true,
                },
                {
                  head: partners.allocation,
                  cell: (partner) => grams(partner.allocationMicrograms),
                  isFigure: true,
                },
              ]}
            />
          </section>
          <section aria-labelledby="pools">
            <h2 id="pools">{vault.pools}</h2>
            <ReadTable
              call={call}
              read={POOLS}
              items={pools}
              names={["pool", "version", "bars", "fine_grams", "free_grams", "made_at", "hash"]}
              caption={vault.pools}
              empty={words.none}
              look={{ cells: { hash: ({ hash }) => <Code text={hash ?? ""} /> } }}
            />
          </section>
          <section aria-labelledby="bars">
            <h2 id="bars">{vault.bars}</h2>
            <p class="acts">
              <a href={`/${call.language}/vault.csv`}>{words.orders.export}</a>
              <a href={`/${call.language}/vault/weight-list.csv`}>{words.weightList.label}</a>
              <CountLink call={call} />
            </p>
            <ReadTable
              call={call}
              read={BARS}
              items={shown}
              look={{
                cells: {
                  serial: ({ serial }) => <Code text={serial} />,
                  fineness: (bar) => (bar.finenessTenThousandths / 10).toFixed(1),
                },
                extraColumns: [{
                  head: words.approvals.act,
                  cell: ({ serial }) => (
                    <ActForm call={call} act="vault.bar.remove" fixed={{ serial }} />
                  ),
                }],
              }}
            />
            <Pager {...pager} />
            {mayDo(call.viewer.roles, "vault.bar.add") && (
              <div class="columns">
                {BAR_ACTS.map((act) => (
                  <div class="card">
                    <ActForm call={call} act={act} isTall />
                  </div>
                ))}
              </div>
            )}
          </section>
        </>
      ),
    };
  },
};

/** The bars in the vault, as a file. */
export const barsFile = readFile({ read: BARS, path: "/vault", name: "bars" });

/** The bars as a weight list, as the London market and `vault.bars.add` read it. */
export const weightList = file<WeighedBar>({
  path: "/vault/weight-list.csv",
  act: "vault.read",
  name: "weight-list",
  columns: WEIGHT_LIST_HEAD.map((name, index) => [name, (bar) => weightListLine(bar)[index]!]),
  async *pages({ database: { sql } }) {
    yield await listBars(sql);
  },
});
