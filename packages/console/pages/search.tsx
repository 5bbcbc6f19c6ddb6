import {
  type AwayCell,
  type Hit,
  searchCell,
  searchControl,
  SEARCHED_DAYS,
} from "@sabika/office/oversight";
import { APPROVAL_WHOLE } from "@sabika/office/reads";
import { readOne } from "@sabika/office/run-reads";
import { mayDo } from "@sabika/terms";
import type { Call, Page } from "../call.ts";
import { moment, riyals } from "../format.ts";
import { fill } from "../languages/fill.ts";
import { linkTo } from "../layout/filter.tsx";
import { Moment, None, PartnerLink } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { WithoutCells } from "../layout/without_cells.tsx";

/** Something found, as the page lists it. */
type Found = Omit<Hit, "kind"> & { readonly kind: Hit["kind"] | "request" };

/** The page of what was found, by its kind. */
const PATHS: Readonly<Record<Found["kind"], (id: string) => string>> = {
  order: (id) => `/orders/${id}`,
  quote: (id) => `/quotes/${id}`,
  event: (id) => `/events/${id}`,
  withdrawal: (id) => `/withdrawals/${id}`,
  funding: (id) => `/fundings/${id}`,
  partner: (id) => `/partners/${id}`,
  bar: (id) => `/bars/${encodeURIComponent(id)}`,
  request: () => "/approvals?state=all",
};
const KINDS = Object.keys(PATHS) as Found["kind"][];

/**
 * What a text names, by id, key, reference, IBAN, name, serial or amount; of the kinds that the viewer's roles
 * open. A single one that it names exactly redirects to its page.
 */
export const search: Page = {
  path: "/search",
  act: "office.read",
  async show(call) {
    const { context, language, words: { search: words } } = call;
    const text = textOf(context.req.query("q") ?? "");
    const before = context.req.query("before") ?? "";
    const beforeMs = /^[0-9]{1,15}$/.test(before) ? Number(before) : undefined;
    const { found, sinceMs, away } = await find(call, text, beforeMs);
    const [first, ...others] = found;
    if (first?.isExact === true && others.length === 0 && away.length === 0) {
      return context.redirect(`/${language}${PATHS[first.kind](first.id)}`, 303);
    }
    return {
      title: words.title,
      content: (
        <>
          <WithoutCells words={call.words} away={away} />
          {text !== "" && found.length === 0 && <p>{fill(words.nothing, { text })}</p>}
          {KINDS.map((kind) => (
            <Kind
              call={call}
              kind={kind}
              found={found.filter((hit) => hit.kind === kind)}
            />
          ))}
          {sinceMs !== undefined && (
            <p class="wrong">
              {fill(words.notAll, { time: moment(sinceMs) })}{" "}
              <a href={linkTo(call, "/search", { q: text, before: String(sinceMs) })}>
                {words.further}
              </a>
            </p>
          )}
          <p class="soft">{fill(words.where, { days: SEARCHED_DAYS })}</p>
        </>
      ),
    };
  },
};

/** Returns what was asked for, without space around it and with Western digits. */
function textOf(asked: string): string {
  return asked.trim().slice(0, 128)
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x0660))
    .replaceAll("٫", ".").replaceAll("٬", ",");
}

async function find(call: Call, text: string, beforeMs: number | undefined): Promise<{
  found: readonly Found[];
  /** The time back to which orders were searched, if not all of the last days. */
  sinceMs?: number;
  away: readonly AwayCell[];
}> {
  if (text.length < 2) return { found: [], away: [] };
  const { cells, database, now, office, viewer } = call;
  const may = (act: Parameters<typeof mayDo>[1]) => mayDo(viewer.roles, act);
  const query = { text, may, now, beforeMs };
  if (beforeMs !== undefined) {
    const { found, away } = await cells.readUsable(undefined, (cell) => searchCell(cell, query));
    return { ...together(found), away };
  }
  const [ofControl, { found, away }, request] = await Promise.all([
    searchControl(database, query),
    cells.readUsable(undefined, (cell) => searchCell(cell, query)),
    may("approval.read")
      ? readOne(APPROVAL_WHOLE, office.readContext(viewer), { id: text })
      : undefined,
  ]);
  const ofRequest = request === undefined
    ? []
    : [{ kind: "request" as const, id: request.id, clientId: null, isExact: true }];
  const { found: ofCells, ...searched } = together(found);
  return { found: [...ofControl, ...ofCells, ...ofRequest], ...searched, away };
}

/** Puts together what cells found. */
function together(parts: readonly Awaited<ReturnType<typeof searchCell>>[]) {
  const since = parts.flatMap(({ sinceMs }) => sinceMs ?? []);
  return {
    found: parts.flatMap(({ hits }) => hits),
    ...since.length > 0 && { sinceMs: Math.max(...since) },
  };
}

function Kind({ call, kind, found }: {
  call: Call;
  kind: Found["kind"];
  found: readonly Found[];
}) {
  if (found.length === 0) return null;
  const { language, words } = call;
  return (
    <Table
      section={kind}
      caption={words.search.kinds[kind]}
      empty=""
      rows={found}
      columns={[
        {
          head: words.search.kinds[kind],
          cell: ({ id }) => (
            <a href={`/${language}${PATHS[kind](id)}`}>
              <bdi class="code" dir="ltr">{id}</bdi>
            </a>
          ),
        },
        ...found.some(({ name }) => name !== undefined)
          ? [{ head: words.search.name, cell: ({ name }: Found) => <bdi class="text">{name}</bdi> }]
          : [],
        ...found.some(({ clientId }) => clientId !== null)
          ? [{
            head: words.partner,
            cell: ({ clientId }: Found) =>
              clientId === null ? <None /> : <PartnerLink call={call} clientId={clientId} />,
          }]
          : [],
        ...found.some(({ atMs }) => atMs !== undefined)
          ? [{
            head: words.search.amount,
            cell: ({ amountHalalas }: Found) =>
              amountHalalas === undefined ? <None /> : riyals(amountHalalas),
            isFigure: true,
          }, { head: words.time, cell: ({ atMs }: Found) => <Moment ms={atMs ?? null} /> }]
          : [],
      ]}
    />
  );
}
