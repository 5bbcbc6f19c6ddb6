import { POOL_VERSION_OF, POOL_VERSIONS, POOLS } from "@sabika/office/reads";
import {
  type ChangedBar,
  findVersion,
  type ListedBar,
  listOpenDifferences,
  listPools,
  listVersions,
  readVersionText,
} from "@sabika/service/vault";
import { mayDo } from "@sabika/terms";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import { jsonFile } from "../download.ts";
import { grams } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { Code, Id, None, PrintButton, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { factsOf } from "../layout/read_table.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { documentsOf, placeOf, stampColumns } from "./bar_columns.tsx";
import { CountLink } from "./counts.tsx";
import { BarLink, IntakeLinks, VersionLink } from "./custody_links.tsx";

const poolIn = ({ context }: Call) => context.req.param("pool") ?? "";
const numberIn = ({ context }: Call) => Number(context.req.param("version"));

/** A pool: its version in force, and all that there were, the newest first. */
export const poolVersions = listPages({
  read: POOL_VERSIONS,
  title: (call) => fill(call.words.custody.pool, { pool: poolIn(call) }),
  above: (call) => <InForce call={call} />,
  look: (call) => ({
    states: { kind: { words: call.words.custody.kinds } },
    cells: {
      version: ({ poolId, number }) => <VersionLink call={call} pool={poolId} version={number} />,
      made_by: ({ madeBy }) => madeBy === null ? <None /> : <bdi>{madeBy}</bdi>,
      hash: ({ hash }) => <Id text={hash} />,
    },
  }),
});

const IN_FORCE = ["version", "made_at", "bars", "fine_grams"];

/** The version in force, what is allocated of it for whom that is, and what is done next. */
async function InForce({ call }: { call: Call }) {
  const { database: { sql }, language, viewer, words: { custody } } = call;
  const pool = poolIn(call);
  const [pools, differences] = await Promise.all([listPools(sql), listOpenDifferences(sql)]);
  const found = pools.find(({ poolId }) => poolId === pool)!;
  const open = differences.filter(({ poolId }) => poolId === pool).length;
  const names = mayDo(viewer.roles, "vault.read") ? [...IN_FORCE, "free_grams"] : IN_FORCE;
  return (
    <section class="card narrow">
      {open > 0 && (
        <p>
          <a href={`/${language}/counts/differences`}>
            <State word={fill(custody.stopped, { n: open })} mood="bad" />
          </a>
        </p>
      )}
      <Facts
        facts={[
          ...factsOf(call, { read: POOLS, item: found, names }),
          [custody.hash, found.hash === null ? <None /> : <Id text={found.hash} isWhole />],
        ]}
      />
      <p class="acts">
        <IntakeLinks call={call} pool={pool} />
        <CountLink call={call} pool={pool} />
        <a href={`/${language}/vault?${new URLSearchParams({ pool })}#bars`}>{custody.itsBars}</a>
      </p>
    </section>
  );
}

const FACTS = ["made_at", "kind", "changed_bars", "fine_grams", "made_by"];

/** A version of a pool: what it changed from the one before, bar by bar, and its hash. */
export const poolVersion: Page = {
  path: "/pools/:pool{[a-z0-9][a-z0-9-]*}/versions/:version{[1-9][0-9]{0,8}}",
  act: "custody.read",
  async show(call) {
    const { database: { sql }, language, words } = call;
    const [pool, number] = [poolIn(call), numberIn(call)];
    const [version, [before], [last]] = await Promise.all([
      findVersion(sql, pool, number),
      listVersions(sql, { pool, before: number, limit: 1 }),
      listVersions(sql, { pool, limit: 1 }),
    ]);
    if (version === undefined) return undefined;
    const { custody } = words;
    const path = `/${language}/pools/${pool}/versions`;
    const change = version.fineMicrograms - (before?.fineMicrograms ?? 0n);
    return {
      title: fill(custody.version, { pool, n: number }),
      content: (
        <>
          <section class="card narrow">
            <Facts
              facts={[
                ...factsOf(call, {
                  read: POOL_VERSION_OF,
                  item: version,
                  names: FACTS,
                  look: {
                    states: { kind: { words: custody.kinds } },
                    cells: {
                      made_by: ({ madeBy }) => madeBy === null ? <None /> : <bdi>{madeBy}</bdi>,
                    },
                  },
                }),
                [custody.fineChange, <Signed micrograms={change} />],
                [custody.hash, <Id text={version.hash} isWhole />],
                [
                  custody.previous,
                  version.previousHash === null
                    ? <None />
                    : <Id text={version.previousHash} isWhole />,
                ],
                [
                  words.counts.id,
                  version.actId === null ? <None /> : <Id text={version.actId} isWhole />,
                ],
              ]}
            />
            <p class="acts">
              {before && <a href={`${path}/${number - 1}`}>{custody.before}</a>}
              {last!.number > number && <a href={`${path}/${number + 1}`}>{custody.after}</a>}
              <a href={path}>{custody.versions}</a>
              <a href={`${path}/${number}/list.json`}>{custody.json}</a>
            </p>
            <PrintButton words={words} />
          </section>
          <Changes call={call} changes={version.changes} />
        </>
      ),
    };
  },
};

/** Micrograms as grams, with their sign. */
function Signed({ micrograms }: { micrograms: bigint }) {
  const sign = micrograms > 0n ? "+" : micrograms < 0n ? "−" : "";
  return <Code text={`${sign}${grams(micrograms < 0n ? -micrograms : micrograms)}`} />;
}

/** Each bar that a version changed: how it was, and how it is. */
function Changes({ call, changes }: { call: Call; changes: readonly ChangedBar[] }) {
  const { words } = call;
  const { custody, fields } = words;
  const kindOf = ({ before, after }: ChangedBar) =>
    before === null ? "came" : after === null ? "left" : "changed";
  const barOf = ({ before, after }: ChangedBar): ListedBar => (after ?? before)!;
  return (
    <Table
      section="changes"
      caption={custody.changes}
      empty={words.none}
      rows={changes}
      columns={[
        { head: fields.serial, cell: ({ serial }) => <BarLink call={call} serial={serial} /> },
        {
          head: custody.change,
          cell: (bar) => <State word={custody.bars[kindOf(bar)]} mood={MOODS[kindOf(bar)]} />,
        },
        ...stampColumns(call, barOf),
        {
          head: custody.fine,
          cell: (bar) => grams(barOf(bar).fineMicrograms),
          isFigure: true,
        },
        {
          head: fields.place,
          cell: (bar) => <Changed call={call} bar={bar} say={placeOf} />,
        },
        {
          head: fields.documents,
          cell: (bar) => <Changed call={call} bar={bar} say={documentsOf} />,
        },
      ]}
    />
  );
}

const MOODS = { came: "good", left: "bad", changed: "waiting" } as const;

/** Something of a bar; what it was before too, if the version changed it. */
function Changed({ call, bar: { before, after }, say }: {
  call: Call;
  bar: ChangedBar;
  say: (bar: ListedBar) => Child;
}) {
  if (before === null || after === null) return <>{say((after ?? before)!)}</>;
  const was = JSON.stringify([before.vault, before.place, before.documents]);
  const is = JSON.stringify([after.vault, after.place, after.documents]);
  return was === is ? <>{say(after)}</> : (
    <>
      {say(before)} {call.words.act.becomes} {say(after)}
    </>
  );
}

/** The canonical JSON of a version, byte for byte: its SHA-256 is the version's hash. */
export const poolVersionText: Page = {
  path: "/pools/:pool{[a-z0-9][a-z0-9-]*}/versions/:version{[1-9][0-9]{0,8}}/list.json",
  act: "custody.read",
  async show(call) {
    const { database: { sql } } = call;
    const [pool, number] = [poolIn(call), numberIn(call)];
    const text = await readVersionText(sql, pool, number);
    return text === undefined ? undefined : jsonFile(`sabika-pool-${pool}-${number}.json`, text);
  },
};
