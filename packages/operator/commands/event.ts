import { buildRouteMap } from "@stricli/core";
import {
  type DeliveryAttempt,
  EVENT_DELIVERY_STATUSES,
  type EventDeliveryStatus,
  parseJson,
  type PartnerEvent,
} from "@sabika/protocol";
import { command } from "../command/command.ts";
import { details } from "../command/details.ts";
import { jsonOf, time } from "../command/json.ts";
import { type Column, listing } from "../command/listing.ts";
import { pageShown, partOf } from "../command/page.ts";
import { notFound } from "../outcome.ts";
import { openReads } from "../reads/open_reads.ts";
import { PARTNERS_FLAGS, type PartnersFlags } from "./partners_flags.ts";

/** An event, without what it is about. */
export const EVENT_COLUMNS: readonly Column<PartnerEvent>[] = [
  ["id", "ID", (one) => one.id],
  ["sequence", "SEQUENCE", (one) => one.sequence],
  ["type", "TYPE", (one) => one.type],
  ["timestamp", "TIME", (one) => time(one.timestampMs)],
  ["status", "STATUS", (one) => one.delivery!.status],
  ["attempts", "ATTEMPTS", (one) => one.delivery!.attempts],
  ["delivered_at", "DELIVERED", (one) => time(one.delivery!.deliveredAtMs)],
  ["next_attempt_at", "NEXT", (one) => time(one.delivery!.nextAttemptAtMs)],
];

/** An attempt to deliver one. */
export const ATTEMPT_COLUMNS: readonly Column<DeliveryAttempt>[] = [
  ["attempted_at", "ATTEMPTED", (one) => time(one.attemptedAtMs)],
  ["duration_ms", "MS", (one) => one.durationMs],
  ["status", "STATUS", (one) => one.status],
  ["failure", "FAILURE", (one) => one.failure],
  ["address", "ADDRESS", (one) => one.address],
];

const list = command<PartnersFlags & { status?: EventDeliveryStatus }, []>({
  act: "trade.read",
  brief: "List a partner's events with their deliveries, newest first",
  examples: ["event list --partner bank-one --status pending"],
  flags: {
    ...PARTNERS_FLAGS,
    status: {
      kind: "enum",
      values: EVENT_DELIVERY_STATUSES,
      brief: "Whose delivery stands so",
      optional: true,
    },
  },
  async run(session, { partner, key, status, ...page }) {
    const reads = await openReads(session);
    return pageShown(await reads.events({ ...partOf(page), partner, key, status }), EVENT_COLUMNS);
  },
});

const show = command<object, [string]>({
  act: "trade.read",
  brief: "Show an event, what it is about, and every attempt to deliver it",
  examples: ["event show evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"],
  args: [["EVENT", "Its id, evt_…"]],
  async run(session, _flags, id) {
    const found = await (await openReads(session)).event(id);
    if (found === undefined) throw notFound(`event ${id}`);
    const { clientId, event } = found;
    const own = details(event, [["client_id", "PARTNER", () => clientId], ...EVENT_COLUMNS]);
    const attempts = listing(found.attempts, ATTEMPT_COLUMNS);
    const object = jsonOf(parseJson(event.objectJson));
    return {
      json: { ...own.json, object, tried: attempts.json },
      text: `${own.text}object           ${event.objectJson}\n\n${attempts.text}`,
    };
  },
});

/** `sabika event …` */
export const event = buildRouteMap({
  docs: { brief: "What partners were told, and how its delivery stands" },
  routes: { list, show },
});
