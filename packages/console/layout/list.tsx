import type { AwayCell } from "@sabika/core/oversight";
import type { Page as PageOf } from "@sabika/protocol";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import type { Messages } from "../languages/languages.ts";
import { everyPage, file, FILE_PAGE, type FileColumn } from "./file.ts";
import { type Filter, FilterForm, Pager, readFilter } from "./filter.tsx";
import { type Column, Table } from "./table.tsx";
import { WithoutCells } from "./without_cells.tsx";

const PAGE_LENGTH = 50;

/** A page of a list, and what the next one goes on after, if there is one. */
interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
  /** The cells whose part it lacks; none when left out. */
  readonly away?: readonly AwayCell[];
}

/** A list of all partners, page by page, with filters in its address, and the same as a file. */
export interface ListOf<Row> {
  readonly path: string;
  readonly act: Page["act"];
  readonly entry: keyof Messages["pages"];
  /** Its own filters, by their names in the address. */
  readonly own?: readonly string[];
  readonly hasDays?: boolean;
  readonly caption: (words: Messages) => string;
  /** Said in place of a list without rows. */
  readonly nothing: (words: Messages) => string;
  readonly columns: (call: Call) => Column<Row>[];
  readonly fileColumns: readonly FileColumn<Row>[];
  /** Whether it begins with the oldest; left out, with the newest. */
  readonly isOldestFirst?: (filter: Filter) => boolean;
  /** What stands above the filters. */
  readonly above?: (call: Call) => Child;
  /** The fields of its own filters. */
  readonly filters?: (call: Call, asked: Filter["asked"]) => Child;
  /** Asked before the list is read: another page, or what is wrong, in words. */
  readonly ahead?: (call: Call) => Promise<Response | string | undefined>;
  readonly read: (
    call: Call,
    filter: Filter,
    page: { before: string | undefined; limit: number },
  ) => Promise<ListPage<Row>>;
}

/** The two pages of a list: as a table, and as a file. */
export function listPages<Row>(list: ListOf<Row>): [table: Page, file: Page] {
  const { path, act, entry, own, read } = list;
  const table: Page = {
    ...{ path, act, entry },
    async show(call) {
      const { context, words } = call;
      const ahead = await list.ahead?.(call);
      if (ahead instanceof Response) return ahead;
      const filter = await readFilter(call, own);
      const mistake = ahead ?? filter.wrong;
      const before = context.req.query("before");
      const { rows, next, away = [] } = filter.wrong === undefined
        ? await read(call, filter, { before, limit: PAGE_LENGTH })
        : { rows: [], next: undefined };
      const { asked } = filter;
      return {
        title: words.pages[entry],
        status: mistake === undefined ? 200 : 400,
        content: (
          <>
            {list.above?.(call)}
            <FilterForm call={call} path={path} filter={filter} hasDays={list.hasDays ?? true}>
              {list.filters?.(call, asked)}
            </FilterForm>
            {mistake !== undefined && <p role="alert" class="wrong">{mistake}</p>}
            <WithoutCells words={words} away={away} />
            <Table
              caption={list.caption(words)}
              columns={list.columns(call)}
              rows={rows}
              empty={next === undefined ? list.nothing(words) : words.orders.nothingYet}
            />
            <Pager
              {...{ call, path, asked, before, next }}
              isOldestFirst={list.isOldestFirst?.(filter) ?? false}
            />
          </>
        ),
      };
    },
  };
  return [
    table,
    file<Row>({
      ...{ path: `${path}.csv`, act, name: entry },
      columns: list.fileColumns,
      async pages(call) {
        const filter = await readFilter(call, own);
        if (filter.wrong !== undefined) return undefined;
        return everyPage(async (before) =>
          whole(await read(call, filter, { before, limit: FILE_PAGE }))
        );
      },
    }),
  ];
}

/**
 * What a file takes: nobody who opens one later sees that it lacks something.
 *
 * @throws why a cell could not be asked
 */
export function whole<T extends { readonly away?: readonly AwayCell[] }>(read: T): T {
  const [missing] = read.away ?? [];
  if (missing !== undefined) throw missing.error;
  return read;
}

/** A page as the list shows it. */
export function pageOf<Row>(
  { data: rows, nextCursor }: PageOf<Row>,
  away: readonly AwayCell[],
): ListPage<Row> {
  return { rows, next: nextCursor ?? undefined, away };
}
