/** Delivery of events: cursor, schedule, attempts, where it may connect to. */
export { maintainAttemptPartitions } from "./attempt_log.ts";
export { DISABLED_BY_OPERATOR, type EndpointState, readEndpointStates } from "./endpoint_states.ts";
export { judgeAttempt } from "./judge_attempt.ts";
export { listAttempts } from "./read_attempts.ts";
export { postSigned } from "./post_signed.ts";
export { connectEndpoint, trustAuthorities } from "./post_webhook.ts";
export { createDeliverySigner } from "./sign_delivery.ts";
export { nextAttemptAt } from "./schedule.ts";
export { getEvent } from "./read_events.ts";
export { checkWebhookUrl, type EndpointPolicy, resolveWebhookAddress } from "./webhook_url.ts";
export { createWebhookWorker, type WebhookWorker, type WebhookWorkerOptions } from "./worker.ts";
