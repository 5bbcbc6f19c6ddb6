import { formatId, jsonString, parseId, refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import type { AdminContext } from "../../admin/admin_context.ts";
import { changePartner } from "../../admin/change.ts";
import type { AdminOutcome, AdminRefusal } from "../../admin/refusal.ts";
import { drizzle } from "../../store/drizzle.ts";
import { partners } from "../../store/schema/mod.ts";
import { readEndpointStates } from "../../webhooks/endpoint_states.ts";
import { requestRedelivery } from "../../webhooks/redelivery.ts";
import { disableWebhookLane, enableWebhookLane } from "../../webhooks/webhook_lanes.ts";
import { writeEvent } from "../../events/write_event.ts";
import type { PartnerAdminContext } from "../partner_admin_context.ts";
import { readWebhookUrl } from "./webhook_endpoint.ts";

/**
 * Sets where a partner's events go, and opens its lane again if it was shut.
 *
 * @param inFlight how many deliveries at once from now on, 1 to 64 (Decision D54); as before if left out
 */
export async function setWebhookUrl(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
  inFlight?: number,
): Promise<AdminOutcome<string>> {
  const url = await readEndpoint(admin, text, inFlight);
  if (!url.ok) return url;
  return await changePartner(
    admin,
    clientId,
    "webhook.set",
    async (sql, { partnerId, webhookUrl }) => {
      await drizzle(sql).update(partners).set({ webhookUrl: url.value })
        .where(eq(partners.partnerId, partnerId));
      const skipOlder = webhookUrl === null;
      await enableWebhookLane(sql, partnerId, admin.now(), { skipOlder, inFlight });
      const audit = {
        before: webhookUrl,
        after: url.value,
        ...inFlight && { in_flight: inFlight },
      };
      return { ok: true, value: url.value, audit };
    },
  );
}

/** Sends a `ping` event (Decision D34) through the outbox. */
export function pingWebhook(
  admin: AdminContext,
  clientId: string,
): Promise<AdminOutcome<{ eventId: string }>> {
  return changePartner(admin, clientId, "webhook.ping", async (sql, { partnerId, webhookUrl }) => {
    if (webhookUrl === null) return noEndpoint(clientId);
    const [state] = await readEndpointStates(sql, admin.now(), partnerId);
    if (state?.status === "disabled") {
      return disabled(clientId);
    }
    const { eventId: uuid } = await writeEvent(sql, {
      partnerId,
      type: "ping",
      objectJson: `{"client_id":${jsonString(clientId)}}`,
      nowMs: admin.now(),
      random: admin.random,
    });
    const eventId = formatId("evt", uuid);
    return { ok: true, value: { eventId }, audit: { eventId } };
  });
}

/** Has what waits for a partner's endpoint tried at once, whoever disabled it, or while it fails. */
export function enableWebhook(
  admin: AdminContext,
  clientId: string,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "webhook.enable", async (sql, partner) => {
    const { partnerId, webhookUrl } = partner;
    if (webhookUrl === null) return noEndpoint(clientId);
    await enableWebhookLane(sql, partnerId, admin.now());
    return { ok: true, value: null, audit: {} };
  });
}

/** Sends a partner nothing more until its endpoint is enabled; its events wait. */
export function disableWebhook(
  admin: AdminContext,
  clientId: string,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "webhook.disable", async (sql, partner) => {
    const { partnerId, webhookUrl } = partner;
    if (webhookUrl === null) return noEndpoint(clientId);
    if (!await disableWebhookLane(sql, partnerId, admin.now())) {
      return disabledBefore(clientId);
    }
    return { ok: true, value: null, audit: {} };
  });
}

/** Has an event of a partner sent again. */
export function redeliverToPartner(
  admin: AdminContext,
  clientId: string,
  eventId: string,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "webhook.redeliver", async (sql, { partnerId }) => {
    const uuid = parseId("evt", eventId);
    const isKnown = uuid !== undefined &&
      await requestRedelivery(sql, { partnerId, eventId: uuid, nowMs: admin.now() });
    if (!isKnown) return noEvent(clientId, eventId);
    return { ok: true, value: null, audit: { eventId } };
  });
}

/** Reads where events are to go, and how many deliveries at once. */
export async function readEndpoint(
  admin: PartnerAdminContext,
  text: string,
  inFlight?: number,
): Promise<AdminOutcome<string>> {
  const url = await readWebhookUrl(admin, text);
  if (!url.ok) return url;
  return inFlight === undefined || (Number.isInteger(inFlight) && inFlight >= 1 && inFlight <= 64)
    ? url
    : refuse("invalid_setting", "deliveries in flight are 1 to 64");
}

/** The refusal for a partner without an endpoint. */
export function noEndpoint(clientId: string): AdminRefusal {
  return refuse("invalid_state", `"${clientId}" has no webhook URL`);
}

/** The refusal for an endpoint that gets nothing now. */
export const disabled = (clientId: string): AdminRefusal =>
  refuse("invalid_state", `the endpoint of "${clientId}" is disabled; enable it first`);

/** The refusal for an endpoint that the operator has disabled already. */
export const disabledBefore = (clientId: string): AdminRefusal =>
  refuse("invalid_state", `you disabled the endpoint of "${clientId}" before`);

/** The refusal for an event that the partner does not have. */
export const noEvent = (clientId: string, eventId: string): AdminRefusal =>
  refuse("not_found", `"${clientId}" has no event ${eventId}`);
