/** Delivery of events to partners. */
export type { LaneStore } from "./lane_store.ts";
export { createWebhookWorker, type WebhookWorker, type WebhookWorkerOptions } from "./worker.ts";
export { maintainAttemptPartitions } from "./attempt_log.ts";
export { type EndpointState, readEndpointStates } from "./endpoint_states.ts";
export { writeEvent } from "../events/write_event.ts";
