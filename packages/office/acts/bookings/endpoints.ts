import { formatId, jsonString, parseId, refuse, uuidV7 } from "@sabika/protocol";
import { and, eq } from "drizzle-orm";
import { drizzle } from "@sabika/database";
import { stampRevision } from "@sabika/service/audit";
import { DISABLED_BY_OPERATOR, readEndpointStates } from "@sabika/service/delivery";
import { events } from "@sabika/service/events";
import { partners } from "@sabika/service/partners";
import type { AdminRefusal } from "@sabika/terms";
import { readWebhookUrl } from "../../partners/webhook_endpoint.ts";
import { type Booking, refusedByCell } from "./booking.ts";

interface Endpoint {
  readonly url: string;
  /** How many deliveries may be in flight, 1 to 64 (Decision D54); unchanged when left out. */
  readonly in_flight?: number | undefined;
}

/** Sets the URL that a partner's events are sent to, and enables its endpoint if it was disabled. */
export const setWebhook: Booking<Endpoint, string> = {
  async prepare({ admin, partner: { partnerId, webhookUrl: before } }, { url, in_flight }) {
    const checked = await readWebhookUrl(admin, url);
    if (!checked.ok) return checked;
    if (in_flight !== undefined && !(in_flight >= 1 && in_flight <= 64)) {
      return refuse("invalid_setting", "deliveries in flight are 1 to 64");
    }
    const sql = admin.transaction;
    await drizzle(sql).update(partners).set({ webhookUrl: url })
      .where(eq(partners.partnerId, partnerId));
    await stampRevision(sql, partnerId);
    const audit = { before, after: url, ...in_flight && { in_flight } };
    const terms = {
      ...in_flight !== undefined && { amount: BigInt(in_flight) },
      ...before === null && { note: "first" },
      audit,
    };
    return { ok: true, value: { terms } };
  },
  read: (_cell, _subject, { url }) => Promise.resolve(url),
  refuse: refusedByCell,
};

/** Sends a `ping` event (Decision D34) through the outbox. */
export const pingWebhook: Booking<object, { eventId: string }> = {
  async prepare({ admin, partner: { partnerId, clientId, webhookUrl }, cell }) {
    if (webhookUrl === null) return noEndpoint(clientId);
    const [state] = await readEndpointStates(cell, admin.now(), partnerId);
    if (state?.status === "disabled") {
      return refuse("invalid_state", `the endpoint of "${clientId}" is disabled; enable it first`);
    }
    const subjectId = uuidV7(admin.now(), admin.random);
    const note = `{"client_id":${jsonString(clientId)}}`;
    const audit = { eventId: formatId("evt", subjectId) };
    return { ok: true, value: { terms: { subjectId, note, audit } } };
  },
  read: (_cell, { subjectId }) => Promise.resolve({ eventId: formatId("evt", subjectId) }),
  refuse: refusedByCell,
};

/** Enables a partner's endpoint, whoever disabled it; waiting events are due at once. */
export const enableWebhook: Booking<object, null> = {
  prepare: ({ partner: { clientId, webhookUrl } }) =>
    Promise.resolve(
      webhookUrl === null
        ? noEndpoint(clientId)
        : { ok: true, value: { terms: { audit: {} } } } as const,
    ),
  read: () => Promise.resolve(null),
  refuse: refusedByCell,
};

/** Disables a partner's endpoint: its events wait until the endpoint is enabled. */
export const disableWebhook: Booking<object, null> = {
  async prepare({ admin, partner: { partnerId, clientId, webhookUrl }, cell }) {
    if (webhookUrl === null) return noEndpoint(clientId);
    const [state] = await readEndpointStates(cell, admin.now(), partnerId);
    if (state?.disabledBy === "operator") {
      return refuse("invalid_state", `you disabled the endpoint of "${clientId}" before`);
    }
    return { ok: true, value: { terms: { note: DISABLED_BY_OPERATOR, audit: {} } } };
  },
  read: () => Promise.resolve(null),
  refuse: refusedByCell,
};

/** Sends an event of a partner again (Decision D35): once, even if asked twice before the attempt. */
export const redeliverEvent: Booking<{ readonly event: string }, null> = {
  async prepare({ partner: { partnerId, clientId }, cell }, { event }) {
    const subjectId = parseId("evt", event);
    const [found] = subjectId === undefined ? [] : await drizzle(cell).select().from(events)
      .where(and(eq(events.partnerId, partnerId), eq(events.eventId, subjectId)));
    if (found === undefined) return refuse("not_found", `"${clientId}" has no event ${event}`);
    return { ok: true, value: { terms: { subjectId: found.eventId, audit: { eventId: event } } } };
  },
  read: () => Promise.resolve(null),
  refuse: refusedByCell,
};

const noEndpoint = (clientId: string): AdminRefusal =>
  refuse("invalid_state", `"${clientId}" has no webhook URL`);
