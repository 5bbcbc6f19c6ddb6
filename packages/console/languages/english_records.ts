/** What pages say of what is on record, in English: partners, deliveries, people's requests. */
export const ENGLISH_RECORDS = {
  partners: {
    caption: "Partners, by client id",
    name: "Name",
    status: "Status",
    statuses: { active: "Active", suspended: "Suspended" },
    cash: "Cash (SAR)",
    allocation: "Allocated (g)",
    endpoint: "Webhook endpoint",
    settings: "Settings",
    spread: "Spread",
    fee: "Fee",
    vat: "VAT",
    quoteBounds: "A quote is of",
    openQuotes: "Open quotes at once",
    iban: "Settlement IBAN",
    addresses: "May call from",
    anywhere: "Anywhere",
    url: "Address",
    since: "Since (Riyadh)",
    inFlight: "Deliveries at once",
    limits: "Limits",
    rateClass: "Requests",
    rateClasses: {
      token: "Tokens",
      read: "Reading",
      write: "Writing",
      signed: "Signed",
      nonces: "Stored nonces",
    },
    perSecond: "A second",
    burst: "At once",
    credentials: "Credentials",
    timelineSays:
      "When each credential in force begins and ends, from 60 days ago to 400 days ahead. The table below has the same.",
    today: "Today",
    id: "Id",
    credentialStates: { active: "In force", ended: "Ended", revoked: "Revoked" },
    begins: "Begins (Riyadh)",
    scope: "Allows",
  },

  deliveries: {
    title: (partner: string) => `Deliveries to ${partner}`,
    link: "Deliveries",
    caption: "Events, newest first",
    nothing: "No events like this.",
    type: "Type",
    attempts: "Attempts",
  },

  approvals: {
    all: "Also those that were decided",
    onlyWaiting: "Only those that wait",
    nothing: "No request waits for a second person.",
    act: "Act",
    arguments: "As it was signed",
    requester: "Asked by",
    requested: "Asked (Riyadh)",
    expires: "Until (Riyadh)",
    decider: "Decided by",
    states: {
      waiting: "Waits",
      expired: "Expired",
      done: "Done",
      rejected: "Rejected",
      void: "Void",
    },
  },

  withdrawals: {
    toPay: "To pay",
    amount: "Amount (SAR)",
    completed: "Ended (Riyadh)",
    nothing: "No withdrawals like this.",
    statuses: {
      pending: "Pending",
      processing: "Being paid",
      completed: "Paid",
      failed: "Failed",
      cancelled: "Cancelled",
    },
  },

  vault: {
    drawing: "Who draws on it",
    held: "Held by customers (g)",
    bars: "Bars",
    serial: "Serial",
    refiner: "Refiner",
    fineness: "Fineness",
    weight: "Weight (g)",
    added: "Added (Riyadh)",
  },

  audit: {
    lead:
      "The log is a chain that nobody changes unseen. The command sabika audit verify counts it again, with every signature.",
    number: "No.",
    who: "Who",
    signed: "Signed",
    brokenGlass: "Glass broken",
    from: "From",
    detail: "Detail",
  },
};

/** The same in every language. */
export type RecordMessages = typeof ENGLISH_RECORDS;
