import type { Call, Page } from "../call.ts";
import { type Cell, csvAnswer, csvLine } from "../csv.ts";

/** A column of a file, in a name and numbers that programs read. */
export type FileColumn<Row> = readonly [name: string, cell: (row: Row) => Cell];

/**
 * A list as a file, every page of it, in CSV.
 *
 * @param pages the rows, some at a time; undefined when what the address asks for is wrong
 */
export function file<Row>({ path, act, columns, name, pages: readPages }: {
  path: `${string}.csv`;
  /** What the file is of, in its name. */
  name: string;
  act: Page["act"];
  columns: readonly FileColumn<Row>[];
  pages: (call: Call) => Promise<AsyncIterable<readonly Row[]> | undefined>;
}): Page {
  return {
    path,
    act,
    async show(call) {
      const pages = (await readPages(call))?.[Symbol.asyncIterator]();
      if (pages === undefined) return undefined;
      // A list that cannot be read is refused, not begun.
      const first = await pages.next();
      return csvAnswer(`sabika-${name}.csv`, written(columns, first, pages));
    },
  };
}

async function* written<Row>(
  columns: readonly FileColumn<Row>[],
  first: IteratorResult<readonly Row[]>,
  pages: AsyncIterator<readonly Row[]>,
): AsyncGenerator<string, void, void> {
  try {
    yield csvLine(columns.map(([name]) => name));
    for (let page = first; page.done !== true; page = await pages.next()) {
      yield page.value.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join("");
    }
  } finally {
    await pages.return?.();
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
