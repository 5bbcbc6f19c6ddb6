import type { TermName } from "@sabika/terms";

/** What pages say of what is on record, in English: partners, deliveries, people's requests. */
export const ENGLISH_RECORDS = {
  partners: {
    status: "Status",
    statuses: { active: "Active", suspended: "Suspended" },
    allocation: "Allocated (g)",
    endpoint: "Webhook endpoint",
    settings: "Settings",
    terms: {
      spread_percent: "Spread",
      fee_percent: "Fee",
      vat_percent: "VAT",
      min_grams: "A quote is of at least",
      max_grams: "A quote is of at most",
      open_quotes: "Open quotes at once",
    } satisfies Record<TermName, string>,
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
  },

  approvals: {
    all: "Also those that were decided",
    onlyWaiting: "Only those that wait",
    act: "Act",
    expires: "Until (Riyadh)",
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
    statuses: { open: "Open", executed: "Executed", expired: "Expired" },
  },

  ledger: {
    lead: "One partner's transfers.",
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

  books: {
    lead:
      "The command sabika reconcile recounts the books, with --full from the first transfer; what it found is kept here. Run it daily.",
    balances: "Balances, compared all the time",
    compared: "Compared",
    neverCompared: "No server has compared them yet.",
    cell: (name: string) => `Cell ${name}`,
    away: "This cell cannot be asked now.",
    wrongBalances: (count: number) => `Partners whose balances differ: ${count}`,
    last: "The last recount",
    earlier: "Earlier recounts",
    never: "The books have not been recounted yet.",
    result: "Result",
    agree: "All agrees",
    disagree: (count: number) => `Differences: ${count}`,
    finished: "Finished (Riyadh)",
    who: "Asked for by",
    of: "Of",
    all: (count: number) => `All partners: ${count}`,
    since: "What came since (Riyadh)",
    first: "The first transfer",
    took: "Took",
    checks: "Checks",
    check: "Check",
    expected: "Expected",
    actual: "Found",
    differences: (shown: number, all: number) => `${shown} of ${all} differences`,
    whatNow: "Find out what happened before anything is changed: the runbook says how.",
  },

  withdrawals: {
    toPay: "To pay",
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
  },

  prices: {
    now: "Now",
    quoting: "Quoting",
    quotes: "Quoted at",
    paused: "Paused",
    without: "The source has none",
    source: "Source",
    sources: { simulated: "Simulated", fixed: "Fixed", feed: "Feed" },
    notUnderstood: "The settings cannot be read: nothing is quoted until they are set again.",
    fixed: "Set price (SAR/g)",
    url: "Address",
    unit: "Unit",
    units: { sar_per_gram: "SAR per gram", usd_per_troy_ounce: "USD per troy ounce" },
    polled: "Asked every",
    oldest: "Not older than",
    jump: "Jumps by at most",
    agreeing: "Answers that must agree after a jump",
    plausible: "Plausible (SAR/g)",
    set: "Set (Riyadh)",
    resumeHint: "After a jump of the feed, resuming accepts its new level.",
    history: "Mid price by the minute",
    last: "The last",
    span: "From (Riyadh)",
    least: "Least",
    highest: "Highest",
    end: "Last",
    nothing: "No price was noted in this time.",
    says: (least: string, highest: string, end: string) =>
      `The mid price was between SAR ${least} and ${highest} a gram, and SAR ${end} at the end. Gaps are times without a price.`,
    kept: "Kept for 31 days.",
  },

  audit: {
    lead:
      "The log is a chain that nobody changes unseen. Signatures were verified for this page; the whole log is counted again by the command sabika audit verify.",
    who: "Who",
    byPasskey: "By passkey",
    byKey: "By key file",
    doesNotFit: "Does not fit",
    brokenGlass: "Glass broken",
  },
};

/** These texts, as every language has them. */
export type RecordMessages = typeof ENGLISH_RECORDS;
