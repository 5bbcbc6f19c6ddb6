import { VAULT_COUNTS, VAULT_DIFFERENCES } from "@sabika/office/reads";
import { listOpenDifferences, type VaultCount } from "@sabika/service/vault";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";
import { Code, MomentLink, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { countedPlace } from "./counted_place.ts";
import { FINDING_MOODS } from "./moods.ts";

/** Counts of bars, the newest first. */
export const counts = listPages({
  read: VAULT_COUNTS,
  entry: "counts",
  look: async (call) => {
    const open = new Set(
      (await listOpenDifferences(call.database.sql)).map(({ countId }) => countId),
    );
    return {
      cells: {
        counted_at: ({ countId, countedAtMs }) => (
          <MomentLink call={call} path={`/counts/${countId}`} ms={countedAtMs} />
        ),
        place: (count) => <bdi>{countedPlace(call.words, count)}</bdi>,
      },
      extraColumns: [{
        head: call.words.partners.status,
        cell: (count) => <Standing call={call} count={count} isOpen={open.has(count.countId)} />,
      }],
    };
  },
  above: (call) => (
    <p class="acts">
      <CountLink call={call} />
      <a href={`/${call.language}/counts/differences`}>{call.words.counts.differences}</a>
    </p>
  ),
});

/** What became of what a count found. */
function Standing({ call: { words: { counts } }, count, isOpen }: {
  call: Call;
  count: VaultCount;
  isOpen: boolean;
}) {
  const { acceptedAtMs, different, missing, unexpected } = count;
  const { standings } = counts;
  if (missing + unexpected + different === 0) return <State word={standings.agrees} mood="good" />;
  if (acceptedAtMs !== null) return <State word={standings.accepted} mood="waiting" />;
  return isOpen
    ? <State word={standings.open} mood="bad" />
    : <State word={standings.settled} mood="good" />;
}

/** What counts found, and nothing has settled. */
export const differences = listPages({
  read: VAULT_DIFFERENCES,
  title: ({ words }) => words.counts.differences,
  look: (call) => ({
    states: { finding: { words: call.words.counts.findings, moods: FINDING_MOODS } },
    cells: {
      serial: ({ serial }) => <Code text={serial} />,
      counted_at: ({ countId, countedAtMs }) => (
        <MomentLink call={call} path={`/counts/${countId}`} ms={countedAtMs} />
      ),
    },
  }),
  above: ({ words }) => <p class="soft">{words.counts.differencesLead}</p>,
});

/** The link to the page where bars are counted, those of a pool if one is given; for whom it is. */
export function CountLink({ call: { language, viewer, words }, pool }: {
  call: Call;
  pool?: string;
}) {
  if (!mayDo(viewer.roles, "vault.count")) return null;
  const query = pool === undefined ? "" : `?${new URLSearchParams({ place: "", pool })}`;
  return <a href={`/${language}/counts/new${query}`}>{words.counts.link}</a>;
}
