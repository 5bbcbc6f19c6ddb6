import { createReading } from "@sabika/core/trading";
import { findPartner } from "@sabika/core/partners";
import { EVENT_DELIVERY_STATUSES, type PartnerEvent } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { Code, Moment, State } from "../layout/inline.tsx";
import { Table } from "../layout/table.tsx";
import { ActForm } from "./act_form.tsx";
import { DELIVERY_MOODS } from "./moods.ts";

const PAGE_LENGTH = 50;

/** One partner's events, and how the delivery of each stands. */
export const deliveries: Page = {
  path: "/partners/:partner{[a-z0-9][a-z0-9-]*}/deliveries",
  act: "partner.read",
  async show(call) {
    const { context, database, environment, now, words } = call;
    const found = await findPartner(database.sql, context.req.param("partner") ?? "");
    if (found === undefined) return undefined;
    const status = EVENT_DELIVERY_STATUSES.find((one) => one === context.req.query("status"));
    const reading = createReading({ database, environment, now });
    const listed = await reading.listEvents({
      ...{ partnerId: found.partnerId, status, limit: PAGE_LENGTH },
      cursor: context.req.query("after"),
    });
    if (!listed.ok) return undefined;
    const { data, nextCursor } = listed.page;
    const path = `/${call.language}/partners/${found.clientId}/deliveries`;
    const link = (query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;
    const narrowed: Record<string, string> = status === undefined ? {} : { status };
    return {
      title: words.deliveries.title(found.name),
      content: (
        <>
          <nav class="inline" aria-label={words.orders.filter}>
            <a href={path} aria-current={status === undefined ? "page" : undefined}>{words.any}</a>
            {EVENT_DELIVERY_STATUSES.map((one) => (
              <a href={link({ status: one })} aria-current={status === one ? "page" : undefined}>
                {words.trade.delivery[one]}
              </a>
            ))}
          </nav>
          <Events call={call} partner={found.clientId} events={data} />
          {nextCursor !== null && (
            <p class="pager">
              <a rel="next" href={link({ ...narrowed, after: nextCursor })}>{words.orders.older}</a>
            </p>
          )}
        </>
      ),
    };
  },
};

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
