import { Refused } from "@sabika/office";
import type { ListRead, Part, ReadPage } from "@sabika/office/reads";
import { readPart } from "@sabika/office/run-reads";
import { PAGE_LIMIT_MAX } from "@sabika/protocol";
import type { Child } from "hono/jsx";
import type { Call, Page } from "../call.ts";
import type { Messages } from "../languages/languages.ts";
import { file } from "./file.ts";
import { type Filter, FilterForm, Pager, readFilter, Select } from "./filter.tsx";
import { fileColumns, type Look, ReadTable, type Row, rowsOf } from "./read_table.tsx";
import { WithoutCells } from "./without_cells.tsx";

/** How many items a page has, and how many a file reads at once. */
const [PAGE_LENGTH, FILE_PART] = [50, 1_000];
/** How many items a page has of a list that is read whole. */
const WHOLE_LENGTH = 200;

/** A list of the table of reads, as the console shows it: page by page, with filters, and as a file. */
export interface ListOf<T> {
  readonly read: ListRead<T>;
  /** The read for a filter, if not always `read`. */
  readonly readFor?: (filter: Filter) => ListRead<T>;
  readonly entry?: keyof Messages["pages"];
  /** The act whose roles may see it, if not the read's. */
  readonly act?: Page["act"];
  readonly look?: (call: Call) => Look<T> | Promise<Look<T>>;
  /** Whether the list begins with the oldest item; it begins with the newest when left out. */
  readonly isOldestFirst?: (filter: Filter) => boolean;
  /** Makes the content above the filters. */
  readonly above?: (call: Call) => Child;
  /** Makes the content below the table. */
  readonly below?: (call: Call) => Child;
  /**
   * How many items a page has, and how many the file reads at once, if not as usual; a list that is short enough to be
   * answered whole has pages only with it.
   */
  readonly lengths?: readonly [page: number, file: number];
  /** The fields of the list's own filters; one for each when left out. */
  readonly filters?: (call: Call, asked: Filter["asked"]) => Child;
  /** Called before the list is read; returns a redirect, or what is wrong, in words. */
  readonly beforeRead?: (call: Call) => Promise<Response | string | undefined>;
  /** Its title, if not its entry in the navigation. */
  readonly title?: (call: Call) => string;
}

/** Makes the two pages of a list: its table, and its file. */
export function listPages<T>(list: ListOf<T>): [table: Page, file: Page] {
  const { read, entry } = list;
  const page = read.page!;
  const act = list.act ?? read.act;
  const path = page.path.replace(/\{([a-z]+)\}/, ":$1{[a-z0-9][a-z0-9-]*}");
  const table: Page = {
    path,
    act,
    ...(entry ?? page.title) && { entry: entry ?? page.title! },
    async show(call) {
      const { context, words, language } = call;
      const outcome = await list.beforeRead?.(call);
      if (outcome instanceof Response) return outcome;
      const filter = await readFilter(call, filtersOf(read));
      const mistake = outcome ?? filter.wrong;
      const before = context.req.query("before");
      const part = filter.wrong === undefined
        ? await readList(call, list, filter, { before, limit: list.lengths?.[0] ?? PAGE_LENGTH })
        : { data: [] };
      if (part === undefined) return undefined;
      const { data, next, away = [] } = cut(part, before);
      const { asked } = filter;
      const listPath = pathOf(call, page);
      const filters = { call, path: listPath, filter };
      const shown = list.readFor?.(filter) ?? read;
      const look = await list.look?.(call) ?? {};
      const listed = { call, read: shown, look, items: data };
      const isOldestFirst = list.isOldestFirst?.(filter) ?? read.by === "all";
      const pager = { call, path: listPath, asked, before, next, isOldestFirst };
      return {
        title: list.title?.(call) ??
          (entry === undefined ? page.title![language] : words.pages[entry]),
        status: mistake === undefined ? 200 : 400,
        content: (
          <>
            {list.above?.(call)}
            <FilterForm
              {...filters}
              hasPartner={read.filters?.["client_id"] !== undefined}
              hasDays={/period|key/.test(read.by)}
            >
              {(list.filters ?? ownFields(read, look))(call, asked)}
            </FilterForm>
            {mistake !== undefined && <p role="alert" class="wrong">{mistake}</p>}
            <WithoutCells words={words} away={away} />
            <ReadTable
              {...listed}
              empty={next === undefined ? undefined : words.orders.nothingYet}
            />
            <Pager {...pager} />
            {list.below?.(call)}
          </>
        ),
      };
    },
  };
  return [table, readFile({ ...list, path, name: page.path.split("/").at(-1)! })];
}

/** Cuts a page out of a list that was read whole: the items after as many as `before` says. */
function cut<T>(part: Part<T>, before = ""): Part<T> {
  const { data } = part;
  if (part.next !== undefined || data.length <= WHOLE_LENGTH) return part;
  const start = /^[0-9]{1,9}$/.test(before) ? Number(before) : 0;
  const end = start + WHOLE_LENGTH;
  return {
    ...part,
    data: data.slice(start, end),
    next: end < data.length ? String(end) : undefined,
  };
}

/** The part of a list to read. */
interface PartQuery {
  readonly before: string | undefined;
  readonly limit: number;
  /** Whether the read is refused while a cell is away, rather than done without that cell. */
  readonly isWhole?: boolean;
}

/** Reads a part of a filtered list; undefined when the list's partner does not exist. */
async function readList<T>(
  { office, viewer, context }: Call,
  { read, readFor, lengths }: Pick<ListOf<T>, "read" | "readFor" | "lengths">,
  filter: Filter,
  { before, limit, isWhole = false }: PartQuery,
): Promise<Part<T> | undefined> {
  const { narrowed: { clientId, fromMs: createdFromMs, toMs: createdToMs }, asked } = filter;
  const isCut = read.by === "all" && lengths !== undefined && !isWhole;
  const from = isCut ? Number(before ?? 0) : 0;
  if (!Number.isSafeInteger(from) || from < 0) throw new Refused("invalid_request", "no such page");
  const named = ownFilters(read).flatMap((name) =>
    asked[name] === undefined ? [] : [[name, asked[name]]]
  );
  const part = await readPart(
    readFor?.(filter) ?? read,
    office.readContext(viewer),
    {
      path: context.req.param() as Record<string, string>,
      query: {
        limit: isCut ? from + limit + 1 : limit,
        cursor: before,
        createdFromMs,
        createdToMs,
      },
      filter: {
        ...Object.fromEntries(named) as Record<string, string>,
        ...clientId !== undefined && { client_id: clientId },
      },
    },
    isWhole ? "every cell" : "usable cells",
  );
  if (part === undefined || !isCut) return part;
  // A list that is read whole has the number of the rows before a page as its cursor.
  const to = from + limit;
  const next = part.data.length > to ? String(to) : undefined;
  return { ...part, data: part.data.slice(from, to), next };
}

/** Makes the page that answers a whole list as a CSV file; `path` and `name` are without `.csv`. */
export function readFile<T>(
  list: Pick<ListOf<T>, "read" | "readFor" | "act" | "lengths"> & {
    readonly path: string;
    readonly name: string;
  },
): Page {
  const { read, act = read.act, path, name, lengths } = list;
  // Longer pages are refused for a partner's own list (Decision D19).
  const limit = lengths?.[1] ?? (read.by === "key" ? PAGE_LIMIT_MAX : FILE_PART);
  return file<Row<T>>({
    path: `${path}.csv`,
    act,
    name,
    columns: fileColumns(read),
    async *pages(call) {
      const filter = await readFilter(call, filtersOf(read));
      if (filter.wrong !== undefined) throw new Refused("invalid_request", filter.wrong);
      let before: string | undefined;
      do {
        const part = await readList(call, list, filter, { before, limit, isWhole: true });
        if (part === undefined) {
          throw new Refused("invalid_request", "the partner of this list does not exist");
        }
        yield rowsOf(read, part.data);
        before = part.next;
      } while (before !== undefined);
    },
  });
}

/** Returns the names, in the address, of a read's filters besides its partner. */
function ownFilters({ filters = {} }: ListRead<unknown>): string[] {
  return Object.entries(filters).flatMap(([name, { isCount }]) =>
    name === "client_id" || isCount === true ? [] : [name]
  );
}

/** Returns a read's own filters, each with its possible values, as `readFilter` takes them. */
const filtersOf = (read: ListRead<unknown>) =>
  ownFilters(read).map((name) => [name, read.filters![name]!.values] as const);

/** Returns a page's path, with the partner or pool that the address names. */
function pathOf({ context }: Call, { path }: ReadPage): string {
  return path.replace(/\{([a-z]+)\}/, (_, name: string) => context.req.param(name) ?? "");
}

/** Makes a field for each of the read's own filters; nothing where it has none. */
function ownFields<T>(read: ListRead<T>, look: Look<T>): NonNullable<ListOf<T>["filters"]> {
  const names = ownFilters(read);
  return (call, asked) =>
    names.length === 0 ? undefined : names.map((name) => {
      const label = read.columns?.[name]?.[call.language] ?? name;
      const values = read.filters?.[name]?.values;
      if (values === undefined) {
        return (
          <span class="field">
            <label for={name}>{label}</label>
            <input id={name} name={name} value={asked[name] ?? ""} dir="ltr" />
          </span>
        );
      }
      const words = look.states?.[name]?.words;
      const options = values.map((value) => [value, words?.[value] ?? value] as const);
      const select = { name, label, options, emptyLabel: call.words.any, chosen: asked[name] };
      return <Select {...select} />;
    });
}
