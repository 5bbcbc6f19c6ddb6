/** Delivery of events to partners. */
export { createWebhookWorker, type WebhookWorkerOptions } from "./worker.ts";
export { requestRedelivery } from "./redelivery.ts";
