/** Delivery of events to partners. */
export { createWebhookWorker, type WebhookWorker, type WebhookWorkerOptions } from "./worker.ts";
export { writeEvent } from "./write_event.ts";
export { requestRedelivery } from "./redelivery.ts";
