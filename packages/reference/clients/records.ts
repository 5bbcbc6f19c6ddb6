/** The names of records in the clients, where they are not those of the document. */
export const RECORD_NAMES: Readonly<Record<string, string>> = {
  SignedProbe: "Probe",
  Delivery: "EventDelivery",
  SignedRequest: "SignedEvidence",
};

/** The constants that records have although their values are known. */
export const KEPT_CONSTANTS: Readonly<Record<string, readonly string[]>> = {
  Probe: ["verified"],
  Limits: ["timestamp_window_seconds", "max_body_bytes"],
  QuoteLimits: ["valid_for_seconds"],
};

/** What each record is. */
export const RECORD_SAYS: Readonly<Record<string, string>> = {
  Balances: "A partner's money and gold.",
  ClockScenario: "A time to which the sandbox's clock is set forward.",
  CountInspection: "Whose key signed a count, and the signature.",
  CredentialSummary: "A credential and how long it is valid; never the credential itself.",
  DeliveryAttempt: "An attempt to deliver an event.",
  EventDelivery: "How far the delivery of an event is; a webhook does not have it.",
  ExpiringCredential: "A credential that ends soon.",
  Funding: "Money received into the partner's account.",
  FundingScenario: "Money on its way to you.",
  Health: "The state of the service: `ok`, or `unavailable` without the other members.",
  LastCount: "A count of all bars.",
  LedgerEntry: "A transfer of the ledger.",
  LedgerSource: "What caused an entry of the ledger.",
  Limits: "Your limits.",
  MarketHours: "The hours of the market, every day.",
  Me: "Your settings as the service knows them, and when your credentials end.",
  Order: "An executed order.",
  OrderEvidence: "The signed requests that made an order.",
  PendingEvent: "An event that waits for its delivery.",
  Price: "The indicative price of a gram of 24K gold in SAR.",
  PriceHistory:
    "The course of the mid price, oldest first, without spans in which there was no price.",
  PricePoint: "A point of a price path; its price holds until the next point.",
  PriceScenario:
    "A course of the price; without path and hours the market is as it was before any scenario.",
  PriceSpan: "The mid prices of a span.",
  Probe: "The result of a signature test, which has no other effect.",
  Quote:
    "A price that is firm for 60 seconds: an order that arrives before it expires has its total.",
  QuoteLimits: "The limits of quotes.",
  RangeRedelivery: "Events that are sent again.",
  RateLimit: "A rate limit.",
  RateLimits: "The rate limits by kind of call.",
  Redelivery: "An event that is sent again.",
  RequestedCredential: "A new certificate or signing key that was asked for.",
  RequestedMoney: "The money that a quote was requested for.",
  SignedEvidence: "A signed request as it came, in the parts that its signature is verified from.",
  Scenario: "A scenario that has begun.",
  Statement: "The balances and ledger entries of a day in Riyadh.",
  Vault: "The pool of bars that the partner's gold is a share of.",
  WebhookEnabled: "A webhook endpoint that was enabled.",
  WebhookEndpoint: "The state of a webhook endpoint.",
  WebhooksScenario: "What becomes of the events of the next seconds.",
  Withdrawal: "A payment to the settlement IBAN.",
  WithdrawalEvidence: "The signed requests that made a withdrawal, and cancelled it.",
};
