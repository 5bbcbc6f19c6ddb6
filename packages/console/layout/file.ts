import type { Call, Page } from "../call.ts";
import { type Cell, csvLine } from "@sabika/terms";
import { csvAnswer } from "../download.ts";

/** A column of a file: its name and its cells, in the form that programs read. */
export type FileColumn<Row> = readonly [name: string, cell: (row: Row) => Cell];

/**
 * Makes the page that answers a whole list as a CSV file.
 *
 * @param pages the rows, some at a time; an error before the first of them refuses the file
 */
export function file<Row>({ path, act, columns, name, pages }: {
  path: `${string}.csv`;
  /** The list in the file's name: `sabika-NAME.csv`. */
  name: string;
  act: Page["act"];
  columns: readonly FileColumn<Row>[];
  pages: (call: Call) => AsyncGenerator<readonly Row[], void, void>;
}): Page {
  return {
    path,
    act,
    async show(call) {
      const rest = pages(call);
      // Read before the answer begins, so that a list that cannot be read is refused.
      const first = await rest.next();
      return csvAnswer(`sabika-${name}.csv`, csvLines(columns, first, rest));
    },
  };
}

async function* csvLines<Row>(
  columns: readonly FileColumn<Row>[],
  first: IteratorResult<readonly Row[], void>,
  rest: AsyncGenerator<readonly Row[], void, void>,
): AsyncGenerator<string, void, void> {
  try {
    yield csvLine(columns.map(([name]) => name));
    for (let page = first; page.done !== true; page = await rest.next()) {
      yield page.value.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join("");
    }
  } finally {
    await rest.return();
  }
}
