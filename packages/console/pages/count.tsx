import { VAULT_COUNT_OF } from "@sabika/office/reads";
import { type CountLine, findCount, listOpenDifferences } from "@sabika/service/vault";
import type { Page } from "../call.ts";
import { jsonFile } from "../download.ts";
import { grams } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { Code, Id, Moment, None, PrintButton, State } from "../layout/inline.tsx";
import { factsOf } from "../layout/read_table.tsx";
import { Facts, Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { stampColumns } from "./bar_columns.tsx";
import { countedPlace } from "./counted_place.ts";
import { UUID } from "./form_fields.tsx";
import { FINDING_MOODS } from "./moods.ts";

const FACTS = [
  "counted_at",
  "counted_by",
  "inspected_by",
  "pool",
  "version",
  "expected",
  "found",
  "missing",
  "unexpected",
  "different",
  "expected_fine_grams",
  "found_fine_grams",
  "sha256",
];

/** A count with each of its bars, also for printing. */
export const count: Page = {
  path: "/counts/:count{[0-9a-f-]{36}}",
  act: "custody.read",
  async show(call) {
    const { context, database: { sql }, words } = call;
    const id = context.req.param("count") ?? "";
    const found = UUID.test(id) ? await findCount(sql, id) : undefined;
    if (found === undefined) return undefined;
    const { counts } = words;
    const isOpen = (await listOpenDifferences(sql)).some(({ countId }) => countId === id);
    const differing = found.missing + found.unexpected + found.different;
    return {
      title: fill(counts.title, { place: countedPlace(words, found) }),
      content: (
        <>
          <section class="card narrow">
            <p>
              {differing === 0
                ? <State word={counts.agrees} mood="good" />
                : <State word={fill(counts.differs, { n: differing })} mood="bad" />}
            </p>
            <Facts
              facts={[
                ...factsOf(call, {
                  read: VAULT_COUNT_OF,
                  item: found,
                  names: FACTS,
                  look: {
                    cells: {
                      counted_by: ({ countedBy }) => <bdi>{countedBy}</bdi>,
                      sha256: ({ sha256 }) =>
                        sha256 === null ? <None /> : <Id text={sha256} isWhole />,
                    },
                  },
                }),
                [counts.id, <Id text={found.countId} isWhole />],
                ...found.inspection === null
                  ? []
                  : [[counts.inspectorsKey, <Id text={found.inspection.keyId} isWhole />] as const],
                ...found.acceptedAtMs === null
                  ? []
                  : [[counts.standings.accepted, <Moment ms={found.acceptedAtMs} />] as const],
                ...found.sha256 === null ? [] : [
                  [
                    counts.toSign,
                    <a href={`/${call.language}/counts/${id}/count.json`}>{counts.file}</a>,
                  ] as const,
                ],
              ]}
            />
            <PrintButton words={words} />
            {found.text !== null && found.inspection === null && (
              <ActForm call={call} act="vault.count.inspect" fixed={{ count: id }} isTall />
            )}
            {isOpen && <ActForm call={call} act="vault.count.accept" fixed={{ count: id }} />}
          </section>
          <Table
            section="lines"
            caption={counts.lines}
            empty={words.none}
            rows={found.lines}
            columns={[
              { head: words.fields.serial, cell: ({ serial }) => <Code text={serial} /> },
              {
                head: words.partners.status,
                cell: ({ finding }) => (
                  <State word={counts.findings[finding]} mood={FINDING_MOODS[finding]} />
                ),
              },
              ...stampColumns(call, (line: CountLine) => line),
              {
                head: counts.weighed,
                cell: ({ weighedMicrograms: weighed }) =>
                  weighed === null ? <None /> : grams(weighed),
                isFigure: true,
              },
            ]}
          />
        </>
      ),
    };
  },
};

/** The canonical JSON of a count, byte for byte, for the inspector who signs it. */
export const countText: Page = {
  path: "/counts/:count{[0-9a-f-]{36}}/count.json",
  act: "custody.read",
  async show({ context, database: { sql } }) {
    const id = context.req.param("count") ?? "";
    const found = UUID.test(id) ? await findCount(sql, id) : undefined;
    return found?.text == null ? undefined : jsonFile(`sabika-count-${id}.json`, found.text);
  },
};
