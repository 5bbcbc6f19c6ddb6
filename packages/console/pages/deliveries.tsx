import { createReading } from "@sabika/core/trading";
import { EVENT_DELIVERY_STATUSES, formatTime, type PartnerEvent } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { everyPage, file } from "../layout/file.ts";
import { Code, Moment, State } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { DELIVERY_MOODS } from "./moods.ts";

const PATH = "/partners/:partner{[a-z0-9][a-z0-9-]*}/deliveries";
const PAGE_LENGTH = 50;
/** A list of a partner's has no longer pages (Decision D19). */
const FILE_PAGE = 100;

/** One partner's events, and how the delivery of each stands. */
export const deliveries: Page = {
  path: PATH,
  act: "partner.read",
  async show(call) {
    const { context, words } = call;
    const found = await findAsked(call);
    if (found === undefined) return undefined;
    const { status } = found;
    const page = await found.read(context.req.query("after"), PAGE_LENGTH);
    if (page === undefined) return undefined;
    const { rows, next } = page;
    const path = `/${call.language}/partners/${found.partner.clientId}/deliveries`;
    const link = (query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;
    const narrowed: Record<string, string> = status === undefined ? {} : { status };
    return {
      title: words.deliveries.title(found.partner.name),
      content: (
        <>
          <nav class="inline" aria-label={words.orders.filter}>
            <a href={path} aria-current={status === undefined ? "page" : undefined}>{words.any}</a>
            {EVENT_DELIVERY_STATUSES.map((one) => (
              <a href={link({ status: one })} aria-current={status === one ? "page" : undefined}>
                {words.trade.delivery[one]}
              </a>
            ))}
            <a href={`${path}.csv?${new URLSearchParams(narrowed)}`}>{words.orders.export}</a>
          </nav>
          <Events call={call} partner={found.partner.clientId} events={rows} />
          {next !== undefined && (
            <p class="pager">
              <a rel="next" href={link({ ...narrowed, after: next })}>{words.orders.older}</a>
            </p>
          )}
        </>
      ),
    };
  },
};

/** The same as a file. */
export const deliveriesFile = file<PartnerEvent>({
  ...{ path: `${PATH}.csv`, act: "partner.read", name: "deliveries" },
  columns: [
    ["sequence", (one) => one.sequence],
    ["event_id", (one) => one.id],
    ["created_at", (one) => formatTime(one.timestampMs)],
    ["type", (one) => one.type],
    ["status", (one) => one.delivery?.status ?? null],
    ["attempts", (one) => one.delivery?.attempts ?? 0],
    ["delivered_at", (one) => written(one.delivery?.deliveredAtMs)],
    ["next_attempt_at", (one) => written(one.delivery?.nextAttemptAtMs)],
  ],
  async pages(call) {
    const found = await findAsked(call);
    return found &&
      everyPage(async (after) =>
        await found.read(after, FILE_PAGE) ?? { rows: [], next: undefined }
      );
  },
});

const written = (ms: number | null | undefined) => ms == null ? null : formatTime(ms);

/** The partner and the status that the address names, and how their events are read. */
async function findAsked({ context, cells, environment, now }: Call) {
  const partner = await cells.homeOf(context.req.param("partner") ?? "");
  if (partner === undefined) return undefined;
  const { partnerId, database } = partner;
  const status = EVENT_DELIVERY_STATUSES.find((one) => one === context.req.query("status"));
  const reading = createReading({ database, environment, now });
  return {
    ...{ partner, status },
    async read(cursor: string | undefined, limit: number) {
      const listed = await reading.listEvents({ partnerId, status, limit, cursor });
      if (!listed.ok) return undefined;
      const { data: rows, nextCursor } = listed.page;
      return { rows, next: nextCursor ?? undefined };
    },
  };
}

function Events({ call, partner, events }: {
  call: Call;
  partner: string;
  events: readonly PartnerEvent[];
}) {
  const { words } = call;
  const { trade, deliveries } = words;
  return (
    <Table<PartnerEvent>
      caption={deliveries.caption}
      empty={deliveries.nothing}
      rows={events}
      columns={[
        { head: trade.sequence, cell: (one) => one.sequence, isFigure: true },
        { head: words.time, cell: (one) => <Moment ms={one.timestampMs} /> },
        { head: deliveries.type, cell: (one) => <Code text={one.type} /> },
        {
          head: trade.deliveryState,
          cell: ({ delivery }) =>
            delivery && (
              <State
                word={trade.delivery[delivery.status]}
                mood={DELIVERY_MOODS[delivery.status]}
              />
            ),
        },
        { head: deliveries.attempts, cell: (one) => one.delivery?.attempts ?? 0, isFigure: true },
        {
          head: trade.deliveredAt,
          cell: (one) => <Moment ms={one.delivery?.deliveredAtMs ?? null} />,
        },
        {
          head: trade.nextAttempt,
          cell: (one) => <Moment ms={one.delivery?.nextAttemptAtMs ?? null} />,
        },
        { head: trade.event, cell: (one) => <Code text={one.id} /> },
        {
          head: words.approvals.act,
          cell: (one) => (
            <ActForm call={call} act="webhook.redeliver" given={{ partner, event: one.id }} />
          ),
        },
      ]}
    />
  );
}
