import { type EndpointState, readEndpointStates } from "@sabika/core/webhooks";
import { formatTime } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { duration } from "../languages/languages.ts";
import { Select } from "../layout/filter.tsx";
import { Moment, PartnerLink, State } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import type { Column } from "../layout/table.tsx";
import { ENDPOINT_MOODS } from "./moods.ts";

const STATUSES = ["healthy", "failing", "disabled"] as const;

/** How every partner's webhook endpoint stands, the longest behind first. */
export const [endpoints, endpointsFile] = listPages<EndpointState>({
  ...{ path: "/endpoints", act: "partner.read", entry: "endpoints" },
  own: ["status"],
  hasDays: false,
  caption: (words) => words.endpoints.caption,
  nothing: (words) => words.endpoints.nothing,
  columns: columnsOf,
  fileColumns: [
    ["client_id", (one) => one.clientId],
    ["status", (one) => one.status],
    ["since", (one) => one.sinceMs === null ? null : formatTime(one.sinceMs)],
    ["disabled_by", (one) => one.disabledBy],
    ["failure", (one) => one.failure],
    ["pending_events", (one) => one.pendingEvents],
    ["lag_seconds", (one) => one.lagSeconds],
    ["in_flight", (one) => one.inFlight],
  ],
  filters: ({ words }, asked) => (
    <Select
      name="status"
      label={words.overview.state}
      any={words.any}
      options={STATUSES.map((status) => [status, words.overview.status[status]] as const)}
      asked={asked}
    />
  ),
  async read({ cells, now }, { asked, of, partnerId }, { before, limit }) {
    const { status } = asked;
    const { found, away } = await cells.ofUsable(
      of.clientId,
      ({ sql }) => readEndpointStates(sql, now(), partnerId),
    );
    const all = found.flat()
      .filter((one) => status === undefined || one.status === status)
      .sort((a, b) => b.lagSeconds - a.lagSeconds || a.partnerId - b.partnerId);
    const start = Number(/^[1-9][0-9]{0,6}$/.exec(before ?? "")?.[0] ?? 0);
    const end = start + limit;
    const next = end < all.length ? String(end) : undefined;
    return { rows: all.slice(start, end), next, away };
  },
});

function columnsOf(call: Call): Column<EndpointState>[] {
  const { words, language } = call;
  const { overview, partners, deliveries } = words;
  return [
    { head: words.partner, cell: (one) => <PartnerLink call={call} clientId={one.clientId} /> },
    {
      head: overview.state,
      cell: ({ status }) => <State word={overview.status[status]} mood={ENDPOINT_MOODS[status]} />,
    },
    { head: partners.since, cell: (one) => <Moment ms={one.sinceMs} /> },
    { head: overview.pending, cell: (one) => one.pendingEvents, isFigure: true },
    { head: overview.lag, cell: (one) => duration(language, one.lagSeconds), isFigure: true },
    { head: partners.inFlight, cell: (one) => one.inFlight, isFigure: true },
    {
      head: overview.reason,
      cell: ({ failure }) => failure === null ? "–" : words.failures[failure],
    },
    {
      head: deliveries.link,
      cell: ({ clientId }) => (
        <a
          href={`/${language}/partners/${clientId}/deliveries`}
          aria-label={deliveries.title(clientId)}
        >
          {deliveries.link}
        </a>
      ),
    },
  ];
}
