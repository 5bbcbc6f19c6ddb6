import { listBars, listPools, readVaultReport, searchBars } from "@sabika/service/vault";
import { BARS, POOLS } from "@sabika/office/reads";
import { mayDo } from "@sabika/terms";
import { type WeighedBar, WEIGHT_LIST_HEAD, weightListLine } from "@sabika/terms/weight-list";
import type { Call, Page } from "../call.ts";
import { fineness, grams } from "../format.ts";
import { file } from "../layout/file.ts";
import { Pager, Select } from "../layout/filter.tsx";
import { Id, None, PartnerLink } from "../layout/inline.tsx";
import { readFile } from "../layout/list.tsx";
import { ReadTable } from "../layout/read_table.tsx";
import { Table } from "../layout/table.tsx";
import { WithoutCells } from "../layout/without_cells.tsx";
import { ActForm } from "./act_form.tsx";
import { CountLink } from "./counts.tsx";
import { BarLink, IntakeLinks, PoolLink, VersionLink } from "./custody_links.tsx";
import { Inventory } from "./inventory.tsx";

/** How many bars a page shows. */
const SHOWN = 100;

/** The pools and the bars; and the partners whose gold they back, for whom balances are. */
export const vault: Page = {
  path: "/vault",
  act: "custody.read",
  entry: "vault",
  async show(call) {
    const { words, viewer } = call;
    return {
      title: words.pages.vault,
      content: (
        <>
          {mayDo(viewer.roles, "vault.read") && <Drawing call={call} />}
          <Pools call={call} />
          <Bars call={call} />
        </>
      ),
    };
  },
};

/** How much of the gold is whose. */
async function Drawing({ call }: { call: Call }) {
  const { cells, words } = call;
  const { found: [{ sql }, ...others], away } = await cells.usable();
  const report = await readVaultReport(sql, others.map((cell) => cell.sql));
  const { vault, partners } = words;
  const drawing = report.partners.filter((partner) =>
    partner.goldMicrograms > 0n || partner.allocationMicrograms > 0n
  );
  return (
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
    </>
  );
}

/** Each pool, with its version in force; what is allocated of it is for whom balances are. */
async function Pools({ call }: { call: Call }) {
  const { database: { sql }, viewer, words } = call;
  const pools = await listPools(sql);
  const seesAllocated = mayDo(viewer.roles, "vault.read");
  const names = ["pool", "version", "bars", "fine_grams", "made_at", "hash"];
  return (
    <section aria-labelledby="pools">
      <h2 id="pools">{words.vault.pools}</h2>
      <ReadTable
        call={call}
        read={POOLS}
        items={pools}
        names={seesAllocated ? names.toSpliced(4, 0, "free_grams") : names}
        caption={words.vault.pools}
        empty={words.none}
        look={{
          cells: {
            pool: ({ poolId }) => <PoolLink call={call} pool={poolId} />,
            version: ({ poolId, version }) => (
              <VersionLink call={call} pool={poolId} version={version} />
            ),
            hash: ({ hash }) => hash === null ? <None /> : <Id text={hash} />,
          },
          extraColumns: seesAllocated
            ? [{
              head: words.partners.allocation,
              cell: ({ fineMicrograms, freeMicrograms }) => grams(fineMicrograms - freeMicrograms),
              isFigure: true,
            }]
            : [],
        }}
      />
      <ActForm call={call} act="pool.create" />
    </section>
  );
}

/** The bars by serial, or those whose serial has a part. */
async function Bars({ call }: { call: Call }) {
  const { context, database: { sql }, language, words } = call;
  const { before, serial = "", pool = "" } = context.req.query();
  const asked = { ...serial && { serial }, ...pool && { pool } };
  const found = await searchBars(sql, {
    pool: pool || undefined,
    part: serial.trim() || undefined,
    after: before,
    limit: SHOWN + 1,
  });
  const shown = found.slice(0, SHOWN);
  const next = found.length > SHOWN ? shown.at(-1)!.serial : undefined;
  const pools = await listPools(sql);
  return (
    <section aria-labelledby="bars">
      <h2 id="bars">{words.vault.bars}</h2>
      <p class="acts">
        <IntakeLinks call={call} />
        <CountLink call={call} />
        <a href={`/${language}/vault.csv`}>{words.orders.export}</a>
        <a href={`/${language}/vault/weight-list.csv`}>{words.weightList.label}</a>
      </p>
      <form
        class="line"
        method="get"
        action={`/${language}/vault#bars`}
        aria-label={words.orders.filter}
      >
        <span class="field">
          <label for="serial">{words.custody.serialPart}</label>
          <input id="serial" name="serial" value={serial} dir="ltr" />
        </span>
        {pools.length > 1 && (
          <Select
            name="pool"
            label={words.fields.pool}
            options={pools.map(({ poolId }) => [poolId, poolId] as const)}
            emptyLabel={words.any}
            chosen={pool}
          />
        )}
        <button type="submit">{words.orders.show}</button>
        <a href={`/${language}/vault#bars`}>{words.orders.clear}</a>
      </form>
      <ReadTable
        call={call}
        read={BARS}
        items={shown}
        look={{
          cells: {
            serial: ({ serial }) => <BarLink call={call} serial={serial} />,
            pool: ({ poolId }) => <PoolLink call={call} pool={poolId} />,
            fineness: (bar) => fineness(bar.finenessTenThousandths),
          },
        }}
      />
      <Pager
        call={call}
        path="/vault"
        asked={asked}
        before={before}
        next={next}
        isOldestFirst
      />
    </section>
  );
}

/** The bars in the vault, as a file. */
export const barsFile = readFile({ read: BARS, path: "/vault", name: "bars" });

/** The bars as a weight list, as the London market and `vault.bars.add` read it. */
export const weightList = file<WeighedBar>({
  path: "/vault/weight-list.csv",
  act: "custody.read",
  name: "weight-list",
  columns: WEIGHT_LIST_HEAD.map((name, index) => [name, (bar) => weightListLine(bar)[index]!]),
  async *pages({ database: { sql } }) {
    yield await listBars(sql);
  },
});
