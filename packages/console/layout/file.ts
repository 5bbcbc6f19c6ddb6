import type { Call, Page } from "../call.ts";
import { type Cell, csvAnswer, csvLine } from "../csv.ts";

/** A column of a file, in a name and numbers that programs read. */
export type FileColumn<Row> = readonly [name: string, cell: (row: Row) => Cell];

/**
 * A list as a file, every page of it, in CSV.
 *
 * @param of.pages the rows, some at a time; undefined when what the address asks for is wrong
 */
export function file<Row>(of: {
  path: `${string}.csv`;
  /** What the file is of, in its name. */
  name: string;
  act: Page["act"];
  columns: readonly FileColumn<Row>[];
  pages: (call: Call) => Promise<AsyncIterable<readonly Row[]> | undefined>;
}): Page {
  const { path, act, columns, name } = of;
  return {
    ...{ path, act },
    async show(call) {
      const pages = await of.pages(call);
      return pages && csvAnswer(`sabika-${name}.csv`, written(columns, pages));
    },
  };
}

async function* written<Row>(
  columns: readonly FileColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void, void> {
  yield csvLine(columns.map(([name]) => name));
  for await (const rows of pages) {
    yield rows.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join("");
  }
}

/** Rows that a page of a file holds. */
export const FILE_PAGE = 1_000;

/**
 * The pages of a list, one after the other.
 *
 * @param read a page, and what the next one goes on after, if there is one
 */
export async function* everyPage<Row>(
  read: (before: string | undefined) => Promise<{ rows: readonly Row[]; next: string | undefined }>,
): AsyncGenerator<readonly Row[], void, void> {
  let before: string | undefined;
  do {
    const { rows, next } = await read(before);
    yield rows;
    before = next;
  } while (before !== undefined);
}

/** Rows that are read at once. */
export async function* oneOnly<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve(rows);
}
