/**
 * What of the SDK runs in a browser, which `@sabika/client` is there: amounts, receipts, reserves, counts and
 * versions, webhooks. A browser has no kit and no client certificate, so there is no client.
 *
 * @module
 */
export { formatGrams, formatRiyals, grams, riyals } from "./amounts.ts";
export { everyItem, type Pages } from "./pages.ts";
export { type LocalErrorCode, SabikaError, type SabikaErrorCode } from "./sabika_error.ts";
export {
  createWebhookHandler,
  createWebhookReceiver,
  type HeaderLookup,
  type ReceivedWebhook,
  seenInMemory,
  type SeenWebhooks,
  type WebhookAnswer,
  type WebhookReceiverOptions,
} from "./webhook_receiver.ts";
export * from "@sabika/protocol";
