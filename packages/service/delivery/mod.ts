/** Delivery of events: cursor, schedule, attempts, where it may connect to. */
export { maintainAttemptPartitions } from "./attempt_log.ts";
export { DISABLED_BY_OPERATOR, type EndpointState, readEndpointStates } from "./endpoint_states.ts";
export type { LaneStore } from "./lane_store.ts";
export { listAttempts } from "./read_attempts.ts";
export { nextAttemptAt } from "./schedule.ts";
export { getEvent } from "./read_events.ts";
export { checkWebhookUrl, type EndpointPolicy, resolveWebhookAddress } from "./webhook_url.ts";
export { createWebhookWorker, type WebhookWorker, type WebhookWorkerOptions } from "./worker.ts";
