import { parseId, refuse } from "@sabika/protocol";
import type { AuthenticatedCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** Has an event of a partner sent again; false when the partner has no event with this id. */
export type RedeliverEvent = (
  of: { partnerId: number; eventId: string; nowMs: number },
) => Promise<boolean>;

/**
 * POST /v1/events/{id}/redeliver: has an event sent again (Decisions D19, D35). Asking twice has
 * the same effect as asking once, so no Idempotency-Key is needed.
 */
export function redeliverRoute(
  redeliver: RedeliverEvent,
  now: () => number,
): Route<AuthenticatedCall> {
  return async ({ partner: { partnerId } }, id) => {
    const eventId = parseId("evt", id);
    const isKnown = eventId !== undefined && await redeliver({ partnerId, eventId, nowMs: now() });
    return isKnown ? json(`{"id":"${id}","status":"pending"}`, 202) : refuse("not_found");
  };
}
