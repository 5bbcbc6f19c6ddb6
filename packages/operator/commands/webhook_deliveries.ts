import type { EventStory } from "@sabika/office/oversight";
import { DELIVERY_ATTEMPTS, EVENT_WITH_ATTEMPTS, PARTNERS_EVENTS } from "@sabika/office/reads";
import {
  type DeliveryAttempt,
  EVENT_DELIVERY_STATUSES,
  type EventDeliveryStatus,
  formatTime,
  PAGE_LIMIT_MAX,
} from "@sabika/protocol";
import { columnsOf, listed } from "../command/columns.ts";
import { command, readFlag, type Shown, textFlag } from "../command/command.ts";
import { type Json, time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { whole } from "../command/parsers.ts";
import { list } from "../command/table.ts";
import { RefusedError } from "../outcome.ts";
import { findOne, readItems } from "../reads/read.ts";
import { ID } from "./arguments.ts";
import { findPartner } from "./partner_show.ts";

/** `sabika webhook deliveries`: a partner's events, or the proof of one event's delivery. */
export const webhookDeliveries = command<
  { event?: string; status?: EventDeliveryStatus; limit?: number },
  [string]
>({
  brief: "List a partner's deliveries, or every attempt at one event",
  more: "With --event: when it was first accepted, from which address, after how many attempts.",
  examples: [
    "webhook deliveries bank-one --status pending",
    "webhook deliveries bank-one --event evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80",
  ],
  flags: {
    event: textFlag("One event, with all attempts at it", "EVENT"),
    status: {
      kind: "enum",
      values: EVENT_DELIVERY_STATUSES,
      brief: "Only those that stand so",
      optional: true,
    },
    limit: readFlag(whole, "How many, the newest first, 1 to 100 (20)", "NUMBER"),
  },
  args: [ID],
  async run(session, { event, status, limit = 20 }, id) {
    await findPartner(session, id);
    if (event !== undefined) {
      return proofOf(await findOne(session, EVENT_WITH_ATTEMPTS, { path: { id: event } }), {
        id,
        event,
      });
    }
    const { data } = await readItems(session, PARTNERS_EVENTS, {
      path: { partner: id },
      query: { status, limit: Math.min(Math.max(limit, 1), PAGE_LIMIT_MAX) },
    });
    const { id: eventId, timestamp: _, ...delivery } = PARTNERS_EVENTS.columns!;
    const columns = { event_id: { ...eventId, head: "EVENT", from: "id" }, ...delivery };
    return listing(data, columnsOf({ columns }));
  },
});

/** The recorded attempts to deliver an event, as evidence in a dispute. */
function proofOf(found: EventStory | undefined, query: { id: string; event: string }): Shown {
  if (found?.clientId !== query.id) {
    throw new RefusedError("not_found", `"${query.id}" has no event ${query.event}`);
  }
  const { event, attempts } = found;
  const at = attempts.findIndex(({ failure }) => failure === null);
  const first = attempts[at];
  const acceptedAt = first && formatTime(first.attemptedAtMs + first.durationMs);
  const shown = listed(DELIVERY_ATTEMPTS, attempts);
  return {
    json: {
      event_id: event.id,
      sequence: event.sequence,
      type: event.type,
      created_at: time(event.timestampMs),
      status: event.delivery!.status,
      first_accepted: first === undefined
        ? null
        : { at: acceptedAt!, address: first.address, attempts: at + 1 },
      attempts: shown.json,
    },
    text: list([
      ["event", `${event.id}, ${event.type}, number ${event.sequence}`],
      ["written", time(event.timestampMs)],
      ["status", event.delivery!.status],
      [
        "first accepted",
        first === undefined
          ? "not in what is kept"
          : `${acceptedAt} by ${first.address}, at attempt ${at + 1}`,
      ],
    ]) + "\n" + shown.text,
  };
}

/** A delivery attempt as JSON. */
export function attemptJson(attempt: DeliveryAttempt): Json {
  return listed(DELIVERY_ATTEMPTS, [attempt]).json[0]!;
}

/** A delivery attempt in a few words. */
export function describeAttempt({ durationMs, status, failure, address }: DeliveryAttempt): string {
  const took = `${durationMs} ms`;
  return (status === null ? `no answer in ${took}` : `answered ${status} in ${took}`) +
    (address === null ? "" : ` by ${address}`) + (failure === null ? "" : `: ${failure}`);
}
