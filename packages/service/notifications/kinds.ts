import type { ActName } from "@sabika/terms";

/**
 * What people are told of (Decision D98). A condition has the act whose roles are told; a request's
 * notifications are for those who decide on it, or for its requester.
 */
export const NOTIFICATION_KINDS = {
  approval_waiting: null,
  approval_done: null,
  approval_refused: null,
  price_stale: "price.read",
  recount_differs: "books.read",
  recount_missing: "books.read",
  endpoint_down: "partner.read",
  credential_ending: "credential.read",
  credential_requested: "credential.read",
  reserve_low: "vault.read",
  count_differs: "custody.read",
  count_unsigned: "custody.read",
  reserve_unattested: "reserve.read",
  document_ending: "partner.read",
} as const satisfies Readonly<Record<string, ActName | null>>;

/** One of {@linkcode NOTIFICATION_KINDS}. */
export type NotificationKind = keyof typeof NOTIFICATION_KINDS;

/** A kind that lasts until what it is about is over. */
export type ConditionKind = Exclude<NotificationKind, `approval_${string}`>;

/** How a person is told of a kind: not at all, in the console, or there and by mail. */
export type Choice = "none" | "console" | "mail";

/** Short texts and numbers that say what a notification is about; no secret, and moments as RFC 3339. */
export type NotificationFacts = Readonly<Record<string, string | number | null>>;
