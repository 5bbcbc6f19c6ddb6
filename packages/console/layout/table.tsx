import type { Child } from "hono/jsx";

/** A column: its heading, its cells, and whether they are figures or have the acts on their rows. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Child;
  readonly isFigure?: boolean;
  /** Whether its cells have buttons or links that act: then it stays in sight. */
  readonly isAct?: boolean;
}

interface TableOf<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown in place of a table without rows. */
  readonly empty: string;
  /** Whether the caption is visible; it is for screen readers only when left out. */
  readonly showCaption?: boolean;
}

/** A table of more columns becomes cards where it is narrow: a block for each row. */
const NARROW_COLUMNS = 3;

/**
 * A table; its first column heads the rows. Where it has too little room its rows become cards, and where
 * that is not enough it scrolls sideways, with its acts in sight.
 *
 * @param section the id of a new section, headed by the caption; left out, the table makes no section
 */
export function Table<Row>({ section, ...table }: TableOf<Row> & { section?: string | undefined }) {
  if (section === undefined) return <Rows {...table} />;
  return (
    <section aria-labelledby={section}>
      <h2 id={section}>{table.caption}</h2>
      <Rows {...table} />
    </section>
  );
}

function Rows<Row>({ caption, columns, rows, empty, showCaption = false }: TableOf<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const classOf = ({ isFigure, isAct }: Column<Row>) =>
    isFigure === true ? "figure" : isAct === true ? "does" : undefined;
  return (
    <div class="scroll" role="group" aria-label={caption} tabindex={0}>
      <table class={columns.length > NARROW_COLUMNS ? "wide" : undefined}>
        <caption class={showCaption ? undefined : "unseen"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => <th scope="col" class={classOf(column)}>{column.head}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column, n) => {
                const cell = { class: classOf(column), "data-head": column.head };
                return n === 0
                  ? <th scope="row" {...cell}>{column.cell(row)}</th>
                  : <td {...cell}>{column.cell(row)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A fact: its name and its value. */
export type Fact = readonly [name: string, value: Child];

/** A list of facts. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
