import { type FilterOfAll, listPartners } from "@sabika/office/oversight";
import { riyadhDayEnd, riyadhDayStart } from "@sabika/terms";
import type { Child } from "hono/jsx";
import type { Call } from "../call.ts";
import { fill } from "../languages/fill.ts";

const COMMON = [["partner"], ["from"], ["to"]] as const;

/** The filters in the address of a list. */
export interface Filter {
  /** The filters by their names in the address; without empty ones and unknown values. */
  readonly asked: Readonly<Record<string, string>>;
  readonly partners: readonly string[];
  /** The partner and the period that the filters narrow the list to. */
  readonly narrowed: Omit<FilterOfAll, "limit" | "before">;
  /** The database's id of the filter's partner; undefined for none, and for an unknown partner. */
  readonly partnerId: number | undefined;
  /** What is wrong with the filters, in words; undefined when nothing is. */
  readonly wrong: string | undefined;
}

/**
 * Reads `partner`, `from` and `to`, which every list has in its address, and the filters of this list.
 *
 * @param names the list's other filters, each with its possible values, if not any text
 */
export async function readFilter(
  { context, database, words }: Call,
  names: readonly (readonly [name: string, values?: readonly string[]])[] = [],
): Promise<Filter> {
  const asked = Object.fromEntries([...COMMON, ...names].flatMap(([name, values]) => {
    const value = context.req.query(name)?.trim();
    return value && values?.includes(value) !== false ? [[name, value]] : [];
  }));
  const records = await listPartners(database);
  const { partner: clientId, from, to } = asked;
  const partnerId = records.find((partner) => partner.clientId === clientId)?.partnerId;
  const fromMs = from === undefined ? null : riyadhDayStart(from);
  const toMs = to === undefined ? null : riyadhDayEnd(to);
  const wrong = fromMs === undefined || toMs === undefined
    ? words.orders.wrongDay
    : clientId !== undefined && partnerId === undefined
    ? fill(words.orders.wrongPartner, { id: clientId })
    : undefined;
  return {
    asked,
    partners: records.map((partner) => partner.clientId),
    partnerId,
    wrong,
    narrowed: {
      clientId,
      fromMs: fromMs ?? undefined,
      toMs: toMs ?? undefined,
    },
  };
}

/** Returns the address of a list with its filters; `changes` replaces filters of the same name. */
export function linkTo(
  { language }: Call,
  path: string,
  asked: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...asked, ...changes }).toString();
  return `/${language}${path}${query === "" ? "" : `?${query}`}`;
}

/** A list's filters, with links to the unfiltered list and to the filtered list as a file. */
export function FilterForm({ call, path, filter, children, hasPartner = true, hasDays }: {
  call: Call;
  path: string;
  filter: Pick<Filter, "asked" | "partners">;
  /** The fields of the list's own filters. */
  children?: Child;
  hasPartner?: boolean;
  hasDays: boolean;
}) {
  const { language, words } = call;
  const { asked } = filter;
  const file = <a href={linkTo(call, `${path}.csv`, asked)}>{words.orders.export}</a>;
  if (!hasPartner && !hasDays && children === undefined) return <p class="pager">{file}</p>;
  return (
    <form class="line" method="get" action={`/${language}${path}`} aria-label={words.orders.filter}>
      {hasPartner && <PartnerField call={call} filter={filter} />}
      {children}
      {hasDays && (
        <>
          <DayField name="from" label={words.orders.from} asked={asked} />
          <DayField name="to" label={words.orders.to} asked={asked} />
        </>
      )}
      <button type="submit">{words.orders.show}</button>
      <a href={`/${language}${path}`}>{words.orders.clear}</a>
      {file}
    </form>
  );
}

/** The field of a filter for a partner. */
export function PartnerField({ call: { words }, filter: { asked, partners } }: {
  call: Call;
  filter: Pick<Filter, "asked" | "partners">;
}) {
  return (
    <span class="field">
      <label for="partner">{words.partner}</label>
      <input id="partner" name="partner" list="partners" value={asked["partner"] ?? ""} dir="ltr" />
      <datalist id="partners">{partners.map((id) => <option value={id} />)}</datalist>
    </span>
  );
}

/** The field of a filter for a day in Riyadh. */
export function DayField({ name, label, asked }: {
  name: string;
  label: string;
  asked: Filter["asked"];
}) {
  return (
    <span class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} type="date" value={asked[name] ?? ""} />
    </span>
  );
}

/** A choice of one value, or of none if `emptyLabel` is set. */
export function Select({ name, id = name, label, emptyLabel, options, chosen }: {
  name: string;
  id?: string;
  label: string;
  /** The label of no choice; without it, one value is always chosen. */
  emptyLabel?: string;
  options: readonly (readonly [value: string, label: string])[];
  chosen: string | undefined;
}) {
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {emptyLabel !== undefined && <option value="">{emptyLabel}</option>}
        {options.map(([value, label]) => (
          <option value={value} selected={value === chosen}>{label}</option>
        ))}
      </select>
    </span>
  );
}

/**
 * Links to the other pages of a list.
 *
 * @param before the item after which this page begins; undefined for the first page
 * @param next the item after which the next page begins; undefined for the last page
 * @param isOldestFirst whether the next page has newer items
 */
export function Pager({ call, path, asked, before, next, isOldestFirst }: {
  call: Call;
  path: string;
  asked: Filter["asked"];
  before: string | undefined;
  next: string | undefined;
  isOldestFirst: boolean;
}) {
  const { older, newest, following, first } = call.words.orders;
  const [firstLabel, nextLabel] = isOldestFirst ? [first, following] : [newest, older];
  return (
    <p class="pager">
      {before !== undefined && <a href={linkTo(call, path, asked)}>{firstLabel}</a>}{" "}
      {next !== undefined && (
        <a rel="next" href={linkTo(call, path, asked, { before: next })}>{nextLabel}</a>
      )}
    </p>
  );
}
