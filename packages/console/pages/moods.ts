/** The colour of each state of a webhook endpoint. */
export const ENDPOINT_MOODS = { healthy: "good", failing: "bad", disabled: "waiting" } as const;
/** The colour of each state of a delivery. */
export const DELIVERY_MOODS = { pending: "waiting", delivered: "good", exhausted: "bad" } as const;
/** The colour of each state of a credential. */
export const CREDENTIAL_MOODS = { active: "good", ended: "waiting", revoked: "bad" } as const;
/** The colour of each state of a partner's request for a credential. */
export const ASKED_MOODS = { pending: "waiting", issued: "good", refused: "bad" } as const;
/** The colour of each state of a withdrawal. */
export const WITHDRAWAL_MOODS = {
  pending: "waiting",
  processing: "waiting",
  completed: "good",
  failed: "bad",
  cancelled: "bad",
} as const;
/** The colour of each state of a request for approval. */
export const REQUEST_MOODS = {
  waiting: "waiting",
  approved: "waiting",
  expired: "bad",
  done: "good",
  rejected: "bad",
  void: "bad",
} as const;
/** The colour of each state of a document. */
export const DOCUMENT_MOODS = { valid: "good", ending: "waiting", ended: "bad" } as const;
/** The colour of each finding of a count. */
export const FINDING_MOODS = {
  found: "good",
  missing: "bad",
  unexpected: "bad",
  different: "bad",
} as const;
/** The colour of each state of a quote. */
export const QUOTE_MOODS = { open: "waiting", executed: "good", expired: "bad" } as const;
