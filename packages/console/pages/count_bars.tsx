import { type BarInVault, listBars, readVersionInForce } from "@sabika/service/vault";
import type { Call, Page } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { Code } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { fieldOf } from "./act_arguments.ts";
import { ActFields } from "./act_form.tsx";
import { stampColumns } from "./bar_columns.tsx";
import { countedPlace } from "./counted_place.ts";

/** Where a custodian counts: asks for the place, then lists the bars that should be there, each with a tick. */
export const countBars: Page = {
  path: "/counts/new",
  act: "vault.count",
  async show(call) {
    const { context, database: { sql }, words } = call;
    const { place, pool = "" } = context.req.query();
    const bars = await listBars(sql, place || undefined, pool || undefined);
    if (place === undefined) {
      return { title: words.counts.link, content: <Places call={call} bars={bars} /> };
    }
    const version = pool === "" ? undefined : await readVersionInForce(sql, pool);
    return {
      title: fill(words.counts.title, {
        place: countedPlace(words, {
          place: place || null,
          poolId: version?.poolId ?? null,
          version: version?.number ?? null,
        }),
      }),
      content: <CountForm call={call} place={place} pool={pool} bars={bars} />,
    };
  },
};

/** A link for each place that has bars, for each pool, and for the whole vault. */
function Places({ call: { language, words }, bars }: { call: Call; bars: readonly BarInVault[] }) {
  const { counts } = words;
  const places = new Map<string, number>();
  const pools = new Map<string, number>();
  for (const { place, poolId } of bars) {
    pools.set(poolId, (pools.get(poolId) ?? 0) + 1);
    if (place !== null) places.set(place, (places.get(place) ?? 0) + 1);
  }
  const href = (place: string, pool = "") =>
    `/${language}/counts/new?${new URLSearchParams({ place, pool })}`;
  return (
    <section class="card narrow" aria-labelledby="where">
      <h2 id="where">{counts.where}</h2>
      <ul>
        {[...places].toSorted().map(([place, n]) => (
          <li>
            <a href={href(place)}>{fill(counts.ofPlace, { place, bars: n })}</a>
          </li>
        ))}
        {[...pools].toSorted().map(([pool, n]) => (
          <li>
            <a href={href("", pool)}>{fill(counts.poolOf, { pool, bars: n })}</a>
          </li>
        ))}
        <li>
          <a href={href("")}>{fill(counts.wholeOf, { bars: bars.length })}</a>
        </li>
      </ul>
    </section>
  );
}

const ACT = "vault.count";
const FIELDS = ["bars", "unexpected"] as const;

/** The form of a count; wrong input is shown by the act's own form, with the ticks as lines. */
function CountForm({ call, place, pool, bars }: {
  call: Call;
  place: string;
  pool: string;
  bars: readonly BarInVault[];
}) {
  const { language, words } = call;
  const { counts, fields } = words;
  return (
    <form class="act" method="post" action={`/${language}/acts/sign`} novalidate>
      <p>{counts.lead}</p>
      <input type="hidden" name="act" value={ACT} />
      <input type="hidden" name="back" value={`/${language}/counts`} />
      <input type="hidden" name="fixed" value="place" />
      <input type="hidden" name={fieldOf("place")} value={place} />
      {pool !== "" && (
        <>
          <input type="hidden" name="fixed" value="pool" />
          <input type="hidden" name={fieldOf("pool")} value={pool} />
        </>
      )}
      <Table
        section="list"
        caption={counts.list}
        empty={words.none}
        rows={bars}
        columns={[
          { head: fields.serial, cell: ({ serial }) => <Code text={serial} /> },
          ...stampColumns(call, (bar: BarInVault) => bar),
          {
            head: counts.seen,
            isAct: true,
            cell: ({ serial }) => (
              <label class="choice">
                <input
                  type="checkbox"
                  name={fieldOf("bars")}
                  value={serial}
                  aria-label={`${counts.seen}: ${serial}`}
                />
                {counts.seen}
              </label>
            ),
          },
        ]}
      />
      <div class="tall">
        <ActFields
          words={words}
          act={ACT}
          names={FIELDS}
          idSuffix={ACT}
          offers={{}}
          hints={{ bars: counts.barsHint }}
        />
        <button type="submit" class="plain">{words.acts[ACT]}</button>
      </div>
    </form>
  );
}
