/** The colours of the states of endpoints, deliveries, credentials, withdrawals, requests and quotes. */
export const ENDPOINT_MOODS = { healthy: "good", failing: "bad", disabled: "waiting" } as const;
export const DELIVERY_MOODS = { pending: "waiting", delivered: "good", exhausted: "bad" } as const;
export const CREDENTIAL_MOODS = { active: "good", ended: "waiting", revoked: "bad" } as const;
export const WITHDRAWAL_MOODS = {
  pending: "waiting",
  processing: "waiting",
  completed: "good",
  failed: "bad",
  cancelled: "bad",
} as const;
export const REQUEST_MOODS = {
  waiting: "waiting",
  expired: "bad",
  done: "good",
  rejected: "bad",
  void: "bad",
} as const;
export const QUOTE_MOODS = { open: "waiting", executed: "good", expired: "bad" } as const;
