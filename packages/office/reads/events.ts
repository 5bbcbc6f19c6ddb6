import { DELIVERY_ATTEMPT, EVENT_DELIVERY_STATUSES, parseId } from "@sabika/protocol";
import { EVENT, EVENT_STORY } from "../wire/mod.ts";
import { type Column, names } from "./columns.ts";
import { state } from "./filters.ts";
import { pagesOfPartner, PARTNER_PATH, partOf } from "./of_partner.ts";
import { paged, type Read, single } from "./read.ts";

/** The columns of an event and its delivery; its object is not shown. */
const EVENT_COLUMNS: Readonly<Record<string, Column>> = {
  id: { head: "ID", en: "Event", ar: "الحدث" },
  sequence: { head: "SEQUENCE", en: "Sequence", ar: "التسلسل" },
  type: { head: "TYPE", en: "Type", ar: "النوع" },
  timestamp: { head: "TIME", en: "Time (Riyadh)", ar: "الوقت (الرياض)" },
  status: { head: "STATUS", en: "Delivery", ar: "التسليم", from: "delivery.status" },
  attempts: { head: "ATTEMPTS", en: "Attempts", ar: "المحاولات", from: "delivery.attempts" },
  delivered_at: {
    head: "DELIVERED",
    en: "Delivered (Riyadh)",
    ar: "سُلّم (الرياض)",
    from: "delivery.delivered_at",
  },
  next_attempt_at: {
    head: "NEXT",
    en: "Next attempt (Riyadh)",
    ar: "المحاولة التالية (الرياض)",
    from: "delivery.next_attempt_at",
  },
};

/** A partner's events, and the state of each delivery. */
export const PARTNERS_EVENTS = pagesOfPartner("events", "listEvents", {
  summary: "A partner's events with their delivery",
  filters: { status: state(EVENT_DELIVERY_STATUSES, "With this delivery status") },
  form: EVENT,
  columns: EVENT_COLUMNS,
  command: {
    noun: "event",
    verb: "list",
    brief: "List a partner's events with their deliveries, newest first",
    examples: ["event list --partner bank-one --status pending"],
  },
  page: {
    path: "/partners/{partner}/deliveries",
    columns: names(`sequence, timestamp, type, status, attempts, delivered_at, next_attempt_at,
      id`),
    file: names(`sequence, id as event_id, timestamp as created_at, type, status, attempts,
      delivered_at, next_attempt_at`),
    caption: { en: "Events, newest first", ar: "الأحداث، الأحدث أولًا" },
    nothing: { en: "No events like this.", ar: "لا أحداث كهذه." },
  },
});

/** An event of any partner, with every attempt that is kept. */
export const EVENT_WITH_ATTEMPTS = single({
  path: "/events/{id}",
  act: "trade.read",
  summary: "An event of any partner, with every attempt that is kept",
  form: EVENT_STORY,
  async find({ cells, readingOf, path }) {
    const { readEventStory } = await import("../oversight/read_owned.ts");
    return await cells.findFirst(async (database) =>
      await readEventStory(database, await readingOf(database), path["id"]!)
    );
  },
});

/** The attempts to deliver an event of a partner, newest first. */
export const DELIVERY_ATTEMPTS = paged({
  path: `${PARTNER_PATH}/events/{id}/attempts`,
  act: "trade.read",
  summary: "The attempts to deliver an event",
  by: "page",
  form: DELIVERY_ATTEMPT,
  columns: {
    attempted_at: { head: "ATTEMPTED", en: "Time (Riyadh)", ar: "الوقت (الرياض)" },
    duration_ms: { head: "MS", en: "Took (ms)", ar: "المدة (م.ث)" },
    status: { head: "STATUS", en: "Answer", ar: "الجواب" },
    failure: { head: "FAILURE", en: "State", ar: "الحالة" },
    address: { head: "ADDRESS", en: "Address", ar: "العنوان" },
  },
  async find({ home, path, query }) {
    const partner = await home();
    const eventId = parseId("evt", path["id"]!);
    if (partner === undefined || eventId === undefined) return undefined;
    const { reading, partnerId } = partner;
    const listing = await reading.listAttempts({ ...query, partnerId, eventId });
    return listing && partOf(listing);
  },
});

/** Reads of events and their deliveries. */
export const EVENT_READS: readonly Read[] = [
  EVENT_WITH_ATTEMPTS,
  PARTNERS_EVENTS,
  DELIVERY_ATTEMPTS,
];
