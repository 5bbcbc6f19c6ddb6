/**
 * The partner's SDK for Node, Deno and Bun: opens a kit, does mutual TLS, fetches tokens, signs and repeats
 * requests, and verifies webhooks.
 *
 * @module
 */
export { formatGrams, formatRiyals, grams, riyals } from "./amounts.ts";
export { DEFAULT_RETRY, type RetryPolicy } from "./backoff.ts";
export type { Exchange } from "./call.ts";
export { createClient } from "./client.ts";
export type {
  CallOptions,
  Client,
  ClientOptions,
  NewCredential,
  NewOrder,
  NewWithdrawal,
  WriteOptions,
} from "./client_interface.ts";
export { type Kit, openKit } from "./kit.ts";
export { KitError } from "./kit_error.ts";
export { type KmsLike, openKmsSigner } from "./kms_signer.ts";
export { kitFromEnvironment, type KitValues } from "./kit_values.ts";
export type { EventFilter, HistoryQuery, ListFilter } from "./list_query.ts";
export { everyItem, type Pages } from "./pages.ts";
export { type LocalErrorCode, SabikaError, type SabikaErrorCode } from "./sabika_error.ts";
export {
  type AnswerBody,
  type FetchAnswer,
  type FetchInit,
  type FetchLike,
  openTransport,
  type Transport,
  type TransportOptions,
} from "./transport.ts";
export type { TransportKeys } from "./transport_keys.ts";
export { makeSigningRequest, type RequestSubject } from "./signing_request.ts";
export { createOrderedReceiver, type OrderedReceiverOptions } from "./ordered_receiver.ts";
export {
  type PostgresQuery,
  type PostgresSequenceOptions,
  sequenceInMemory,
  sequenceInPostgres,
  type SequenceStore,
} from "./sequence_store.ts";
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
export {
  COUNT_FAULTS,
  createEvidenceJudge,
  diagnoseSignature,
  EVIDENCE_FAULTS,
  importPublicPem,
  judgeEvidence,
  readReceiptKeys,
  RECEIPT_CHECKS,
  RECEIPT_FAULTS,
  RESERVE_FAULTS,
  SIMULATIONS,
  verifyCount,
  verifyEvidence,
  verifyReceipt,
  verifyReserve,
  verifyVersions,
  verifyWebhook,
  VERSIONS_FAULTS,
  writePoolVersion,
} from "@sabika/protocol";
export type * from "@sabika/protocol";
