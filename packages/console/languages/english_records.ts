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
    decide: "Decide",
    states: {
      waiting: "Waits",
      expired: "Expired",
      done: "Done",
      rejected: "Rejected",
      void: "Void",
    },
  },

  quotes: {
    caption: "Quotes, newest first",
    nothing: "No quotes like this.",
    statuses: { open: "Open", executed: "Executed", expired: "Expired" },
  },

  fundings: {
    caption: "Money that came in, newest first",
    nothing: "No money came in like this.",
    after: "Cash after it (SAR)",
  },

  ledger: {
    caption: "Transfers, newest first",
    lead:
      "One partner's transfers. Those of one account are of the last 31 days, or from a first day on.",
    nothing: "No transfers like this; choose a partner.",
    account: "Account",
    source: "About",
  },

  statements: {
    day: "Day",
    notBegun: "This day has not begun, or is not a date.",
    opening: "Before it",
    closing: "After it",
    provisional: "Not over yet",
    closed: "Over",
    entries: "Transfers",
    more: (shown: number) => `The first ${shown} are shown; the file has them all.`,
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
      "The log is a chain that nobody changes unseen. Signatures were verified for this page; the whole log is counted again by the command sabika audit verify.",
    number: "No.",
    who: "Who",
    signed: "Signed",
    byPasskey: "By passkey",
    byKey: "By key file",
    doesNotFit: "Does not fit",
    brokenGlass: "Glass broken",
    from: "From",
    detail: "Detail",
  },
};

/** The same in every language. */
export type RecordMessages = typeof ENGLISH_RECORDS;
