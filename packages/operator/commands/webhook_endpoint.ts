import type { WebhookEndpoint } from "@sabika/protocol";
import { type Json, time } from "../command/json.ts";

/** The state of an endpoint in a few words. */
export function describeEndpoint(state: WebhookEndpoint | null, nowMs: number): string {
  if (state === null) return "none";
  const { status, sinceMs, disabledBy, failure, pendingEvents, lagSeconds } = state;
  const since = sinceMs === null ? "" : ` for ${duration(nowMs - sinceMs)}`;
  const why = disabledBy === "operator"
    ? " (by the operator)"
    : disabledBy === "endpoint"
    ? " (it answered 410)"
    : failure === null
    ? ""
    : ` (${failure})`;
  const waiting = pendingEvents === 0
    ? ""
    : `, ${pendingEvents} waiting, the oldest for ${duration(lagSeconds * 1_000)}`;
  return `${status}${since}${why}${waiting}`;
}

/** The state of an endpoint as JSON. */
export function endpointJson(state: WebhookEndpoint | null): Json {
  if (state === null) return null;
  const { status, sinceMs, disabledBy, failure, inFlight, pendingEvents, lagSeconds } = state;
  return {
    status,
    since: time(sinceMs),
    disabled_by: disabledBy,
    failure,
    in_flight: inFlight,
    pending_events: pendingEvents,
    oldest_pending: state.oldestPending?.id ?? null,
    lag_seconds: Math.round(lagSeconds),
  };
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
