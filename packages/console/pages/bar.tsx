import { BAR_OF } from "@sabika/office/reads";
import { type BarWhole, findBar } from "@sabika/service/vault";
import type { Call, Page } from "../call.ts";
import { fineness, grams } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { Code, Id, Moment, MomentLink, None, PrintButton, State } from "../layout/inline.tsx";
import { factsOf } from "../layout/read_table.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { documentsOf, placeOf } from "./bar_columns.tsx";
import { PoolLink, VersionLink } from "./custody_links.tsx";
import { FINDING_MOODS } from "./moods.ts";

const FACTS = [
  "pool",
  "refiner",
  "fineness",
  "weight_grams",
  "fine_grams",
  "year",
  "refiner_list",
  "sourcing_sha256",
  "vault",
  "place",
  "document",
  "added_at",
  "removed_at",
];

/** A bar: what is stamped on it, where it lies, its documents by hash, and what became of it. */
export const bar: Page = {
  path: "/bars/:serial",
  act: "custody.read",
  async show(call) {
    const { context, database: { sql }, words } = call;
    const found = await findBar(sql, context.req.param("serial") ?? "");
    if (found === undefined) return undefined;
    const { custody } = words;
    return {
      title: fill(custody.bar, { serial: found.serial }),
      content: (
        <>
          <section class="card narrow">
            <p>
              <Standing call={call} bar={found} />
            </p>
            <Facts
              facts={[
                ...factsOf(call, {
                  read: BAR_OF,
                  item: found,
                  names: FACTS,
                  look: {
                    states: { refiner_list: { words: custody.refinerLists } },
                    cells: {
                      pool: ({ poolId }) => <PoolLink call={call} pool={poolId} />,
                      fineness: (bar) => fineness(bar.finenessTenThousandths),
                    },
                  },
                }),
                [
                  custody.documents,
                  found.documents.length === 0 ? <None /> : found.documents.map((sha256) => (
                    <div>
                      <Id text={sha256} isWhole />
                    </div>
                  )),
                ],
                ...found.encumbrance === null ? [] : [
                  [custody.encumbrance, <bdi>{found.encumbrance}</bdi>] as const,
                  [
                    custody.encumbranceDocument,
                    found.encumbranceDocument === null
                      ? <None />
                      : <Id text={found.encumbranceDocument} isWhole />,
                  ] as const,
                ],
              ]}
            />
            <PrintButton words={words} />
            {found.removedAtMs === null && <Acts call={call} bar={found} />}
          </section>
          <History call={call} bar={found} />
          <Counted call={call} bar={found} />
        </>
      ),
    };
  },
};

function Standing({ call: { words: { custody } }, bar }: { call: Call; bar: BarWhole }) {
  if (bar.removedAtMs !== null) return <State word={custody.standings.left} mood="waiting" />;
  return bar.encumbrance === null
    ? <State word={custody.standings.counts} mood="good" />
    : <State word={custody.standings.encumbered} mood="bad" />;
}

function Acts({ call, bar: { serial, encumbrance } }: { call: Call; bar: BarWhole }) {
  const fixed = { serial };
  return (
    <>
      <ActForm call={call} act="vault.bar.move" fixed={fixed} />
      {encumbrance === null
        ? <ActForm call={call} act="vault.bar.encumber" fixed={fixed} />
        : <ActForm call={call} act="vault.bar.release" fixed={fixed} />}
      <ActForm call={call} act="vault.bar.remove" fixed={fixed} />
    </>
  );
}

/** The versions that changed the bar. */
function History({ call, bar }: { call: Call; bar: BarWhole }) {
  const { words } = call;
  const { custody, fields } = words;
  return (
    <Table
      section="history"
      caption={custody.history}
      empty={words.none}
      rows={bar.changes}
      columns={[
        { head: words.time, cell: ({ madeAtMs }) => <Moment ms={madeAtMs} /> },
        { head: fields.pool, cell: ({ poolId }) => <PoolLink call={call} pool={poolId} /> },
        {
          head: custody.versionOf,
          cell: ({ poolId, number }) => <VersionLink call={call} pool={poolId} version={number} />,
        },
        {
          head: custody.change,
          cell: ({ kind, isListed }) =>
            `${custody.kinds[kind]}: ${isListed ? custody.listed : custody.notListed}`,
        },
        { head: fields.place, cell: placeOf },
        { head: fields.documents, cell: documentsOf },
      ]}
    />
  );
}

/** The counts that had the bar. */
function Counted({ call, bar }: { call: Call; bar: BarWhole }) {
  const { words } = call;
  const { counts, pages } = words;
  return (
    <Table
      section="counted"
      caption={pages.counts}
      empty={words.none}
      rows={bar.counts}
      columns={[
        {
          head: words.time,
          cell: ({ countId, countedAtMs }) => (
            <MomentLink call={call} path={`/counts/${countId}`} ms={countedAtMs} />
          ),
        },
        {
          head: words.partners.status,
          cell: ({ finding }) => (
            <State word={counts.findings[finding]} mood={FINDING_MOODS[finding]} />
          ),
        },
        {
          head: counts.weighed,
          cell: ({ weighedMicrograms }) =>
            weighedMicrograms === null ? <None /> : <Code text={grams(weighedMicrograms)} />,
          isFigure: true,
        },
      ]}
    />
  );
}
