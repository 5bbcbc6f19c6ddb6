import type { Reading } from "@sabika/service/trading";
import { DELIVERY_ATTEMPT, pageToJson, parseId, refuse } from "@sabika/protocol";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import { readListQuery } from "./list_query.ts";
import type { Route } from "./route.ts";

/** GET /v1/events/{id}/attempts: the attempts to deliver an event, newest first (Decision D54). */
export function deliveryAttemptsRoute(list: Reading["listAttempts"]): Route<ReadCall> {
  return async (call, id) => {
    const query = readListQuery(call.query, [], "paged");
    if (!query.ok) return refuse("invalid_request", { errors: query.errors });
    const eventId = parseId("evt", id);
    const { partnerId } = call.partner;
    const listing = eventId && await list({ ...query.value, partnerId, eventId });
    if (!listing) return refuse("not_found");
    return listing.ok ? json(pageToJson(listing.page, DELIVERY_ATTEMPT.write)) : listing;
  };
}
