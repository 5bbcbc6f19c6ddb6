import type { BarsPreview, PreviewedLine } from "@sabika/office/acts";
import type { LeavingBar } from "@sabika/service/vault";
import type { Call } from "../call.ts";
import { grams } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { sayRefusal } from "../languages/say_refusal.ts";
import { Code, None, State } from "../layout/inline.tsx";
import { type Column, Table } from "../layout/table.tsx";
import { placeOf, stampColumns } from "./bar_columns.tsx";

/** How many wrong lines are shown; the rest follows when these are mended. */
const SHOWN = 200;

/** What would become of a weight list: what is wrong, line by line, then the bars that nothing is wrong with. */
export function ListPreview({ call, preview }: { call: Call; preview: BarsPreview }) {
  const { words: { intake } } = call;
  const { lines, detail, fineMicrograms } = preview;
  const wrong = lines.filter((line) => line.detail !== undefined);
  const right = lines.filter((line) => line.detail === undefined);
  return (
    <section aria-labelledby="list">
      <h2 id="list">{intake.list}</h2>
      <p role="status">
        {wrong.length > 0 || detail !== undefined
          ? (
            <State
              word={fill(intake.wrongLines, { wrong: wrong.length, all: lines.length })}
              mood="bad"
            />
          )
          : (
            <State
              word={fill(intake.nothingWrong, { bars: lines.length, fine: grams(fineMicrograms) })}
              mood="good"
            />
          )}
      </p>
      {detail !== undefined && <p class="wrong">{sayRefusal(call.language, detail)}</p>}
      {wrong.length > 0 && (
        <Table
          caption={intake.wrong}
          empty=""
          rows={wrong.slice(0, SHOWN)}
          columns={[
            { head: intake.line, cell: ({ line }) => line },
            {
              head: call.words.fields.serial,
              cell: ({ serial }) => serial === "" ? <None /> : <Code text={serial} />,
            },
            {
              head: intake.reason,
              cell: ({ detail = "" }) => (
                <span class="wrong">{sayRefusal(call.language, detail)}</span>
              ),
            },
          ]}
        />
      )}
      {right.length > 0 && (
        <details open={wrong.length === 0 && right.length <= 20}>
          <summary>{fill(intake.rightLines, { n: right.length })}</summary>
          <Table caption={intake.right} empty="" rows={right} columns={columnsOf(call)} />
        </details>
      )}
    </section>
  );
}

function columnsOf(call: Call): Column<PreviewedLine>[] {
  const { intake, fields, custody } = call.words;
  return [
    { head: intake.line, cell: ({ line }) => line },
    { head: fields.serial, cell: ({ serial }) => <Code text={serial} /> },
    ...stampColumns(call, ({ bar }: PreviewedLine) => bar!),
    { head: custody.fine, cell: ({ fineMicrograms }) => grams(fineMicrograms), isFigure: true },
    { head: fields.place, cell: ({ bar }) => placeOf(bar!) },
    {
      head: intake.documents,
      cell: ({ bar }) => {
        const documents = [bar!.document, ...bar!.documents ?? []].filter(Boolean);
        return documents.length === 0 ? <None /> : documents.length;
      },
      isFigure: true,
    },
  ];
}

/** The bars that are to leave, each with what is wrong with it. */
export function Leaving({ call, leaving, micrograms }: {
  call: Call;
  leaving: readonly LeavingBar[];
  micrograms: bigint;
}) {
  const { language, words: { custody, fields, intake, none, partners } } = call;
  return (
    <>
      <Table
        section="leaving"
        caption={intake.leaving}
        empty={none}
        rows={leaving}
        columns={[
          { head: fields.serial, cell: ({ serial }) => <Code text={serial} /> },
          {
            head: fields.pool,
            cell: ({ bar }) => bar === undefined ? <None /> : <bdi>{bar.poolId}</bdi>,
          },
          {
            head: fields.refiner,
            cell: ({ bar }) => bar === undefined ? <None /> : <bdi>{bar.refiner}</bdi>,
          },
          {
            head: custody.fine,
            cell: ({ bar }) => bar === undefined ? <None /> : grams(bar.fineMicrograms),
            isFigure: true,
          },
          {
            head: partners.status,
            cell: ({ detail }) =>
              detail === undefined
                ? <State word={intake.leaves} mood="good" />
                : <span class="wrong">{sayRefusal(language, detail)}</span>,
          },
        ]}
      />
      <p>{fill(intake.leavingFine, { fine: grams(micrograms) })}</p>
    </>
  );
}
