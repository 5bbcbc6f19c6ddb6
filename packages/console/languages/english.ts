import { ENGLISH_ACTS } from "./english_acts.ts";
import { ENGLISH_RECORDS } from "./english_records.ts";
import type { CredentialKind, DeliveryFailure } from "@sabika/protocol";
import type { TradeCheck } from "@sabika/office/oversight";
import type { RecountCheck } from "@sabika/service/ledger";
import type { Role } from "@sabika/terms";

/** Figures stand in texts as they are given: formatted already. */
type Figure = string | number;

const ROLES: Readonly<Record<Role, string>> = {
  auditor: "Auditor",
  support: "Support",
  partners: "Partners",
  treasury: "Treasury",
  vault: "Vault",
  prices: "Prices",
  administrator: "Administrator",
};

const CREDENTIALS: Readonly<Record<CredentialKind, string>> = {
  certificate: "Certificate",
  client_secret: "Client secret",
  signing_key: "Signing key",
  webhook_secret: "Webhook secret",
};

const CHECKS: Readonly<Record<TradeCheck, string>> = {
  terms_are_the_quotes: "The order has the quote's own terms",
  in_the_quotes_time: "It was received before the quote expired",
  money_and_gold_moved_once: "Money and gold moved once, by the order's amounts",
  event_was_written: "Its event was written with it",
};

const RECOUNT_CHECKS: Readonly<Record<RecountCheck, string>> = {
  balance: "Balances are the sums of their transfers",
  numbers: "Transfers and events are numbered without gaps",
  closings: "Closed days have the balances that there were",
  events: "Every order has its event",
  orders: "Each order moved its money and gold once",
  terms: "Orders have the terms of their quotes",
  answers: "Orders showed the balances that there were",
  times: "Orders came before the end of their quotes",
  keys: "What was asked for has its Idempotency-Key",
  nonces: "Every order has its nonce",
  fundings: "Money that came in was booked once",
  withdrawals: "Withdrawals moved what they say",
  sum: "Money and gold sum to zero",
  vault: "The vault covers what is promised",
  acts: "Every cell has booked what was recorded",
};

const FAILURES: Readonly<Record<DeliveryFailure, string>> = {
  redirect: "Answered with a redirect",
  gone: "Answered 410: no more events",
  busy: "Asked to wait",
  error_answer: "Answered with an error",
  timeout: "Did not answer in time",
  unreachable: "Could not be reached",
  closed: "Closed the connection",
  not_http: "Did not answer in HTTP",
  certificate: "Its certificate is not trusted",
  name_unknown: "Its name is not known",
  address_not_allowed: "Its address is not allowed",
  other: "Another reason",
};

/** The console in English; every language has its form. */
export const ENGLISH = {
  product: "Sabika",
  office: "Operator's console",
  skip: "To the content",
  navigation: "Pages",
  otherLanguage: "العربية",
  signOut: "Sign out",
  signedInAs: "Signed in as",
  environment: { sandbox: "Sandbox", production: "Production" },
  roles: ROLES,
  pages: {
    overview: "Overview",
    orders: "Orders",
    quotes: "Quotes",
    fundings: "Fundings",
    ledger: "Ledger",
    statements: "Statements",
    books: "Books",
    partners: "Partners",
    endpoints: "Endpoints",
    withdrawals: "Withdrawals",
    prices: "Prices",
    vault: "Vault",
    approvals: "Approvals",
    policy: "Policy",
    people: "People",
    audit: "Audit log",
  },
  side: { buy: "Buy", sell: "Sell" },
  yes: "Yes",
  no: "No",
  none: "None",
  any: "Any",
  units: { riyals: "SAR", grams: "g", perGram: "SAR/g" },
  time: "Time (Riyadh)",
  partner: "Partner",
  gold: "Gold (g)",
  figures: "The figures",
  ago: (time: string) => `${time} ago`,

  signIn: {
    title: "Sign in",
    lead:
      "With the passkey that was registered for you: your device asks for your finger, face or PIN.",
    button: "Sign in with a passkey",
    needsScript: "Passkeys need JavaScript; every page behind this one does without.",
    failed: "That did not work:",
    help: "No passkey yet? An administrator gives you a link that is good once.",
    provider:
      "Or sign in as everywhere in your company. To sign an act you need your passkey all the same.",
    providerButton: "Sign in with the company's account",
    refused: {
      single_sign_on_failed: "The company's sign-in was not accepted. Begin again from here.",
      single_sign_on_unavailable: "The company's sign-in does not answer now.",
      identity_unknown:
        "Your company knows you, but Sabika does not yet: an administrator can add you.",
    },
  },
  enrol: {
    title: "Register your passkey",
    lead: "The passkey stays on your device. With it you sign in, and sign every act in your name.",
    button: "Register a passkey",
    again: "Your device asks twice: to make the passkey, and to sign its registration.",
  },

  notices: {
    notPermitted: "Not for your roles",
    notPermittedBecause: (roles: string) => `This page is for: ${roles}.`,
    notFound: "There is no such page",
    notFoundBecause: "The address may be mistyped, or what it names does not exist.",
    cellAway: "The rows of these partners cannot be read now",
    broken: "This page could not be made",
    brokenBecause: "What happened is in the log. Nothing was changed; try again in a moment.",
    back: "To the overview",
  },

  withoutCells: {
    missing: (cells: string) =>
      `Cells that cannot be asked now: ${cells}. What is of their partners is missing here.`,
    noSum: "not known without every cell",
  },

  overview: {
    waiting: "Waits for you",
    nothingWaits: "Nothing waits for you.",
    toApprove: (count: Figure) => `Requests to decide on: ${count}`,
    toPay: (count: Figure) => `Withdrawals to pay: ${count}`,
    endpointsDown: (count: Figure) => `Webhook endpoints that fail or are off: ${count}`,
    now: "At a glance",
    price: "Mid price",
    noPrice: "No price",
    noPriceBecause: "paused, or the source has none",
    priceAge: (age: string) => `${age} old`,
    volume: "Volume, 24 hours",
    orders: (count: Figure) => `Orders: ${count}`,
    margin: "Margin, 24 hours",
    marginOf: "fees, and the spread as it is now",
    position: "Open position, 24 hours",
    positionOf: (money: string) => `sold less bought, SAR ${money} at mid`,
    free: "Free in the vault",
    freeOf: (bars: Figure) => `Bars: ${bars}`,
    byHour: "Gold by the hour",
    byHourSays: (bought: string, sold: string) =>
      `Gold in the last 24 hours, by the hour: partners bought ${bought} g and sold ${sold} g.`,
    inventory: "Inventory against the vault",
    inventorySays: (held: string, allocated: string, free: string) =>
      `Of the vault's gold, customers hold ${held} g, ${allocated} g is allocated and for sale, and ${free} g is free.`,
    held: "Held by customers",
    allocated: "Allocated, for sale",
    unallocated: "Free",
    share: "Share",
    whose: "Whose it is",
    endpoints: "Webhook endpoints",
    endpointsFine: "Every endpoint takes its events.",
    status: { healthy: "Healthy", failing: "Failing", disabled: "Off" },
    state: "State",
    pending: "Waiting",
    lag: "Lag",
    reason: "Reason",
    expiring: "Credentials that end within 30 days",
    nothingExpires: "None ends within 30 days.",
    credential: "Credential",
    ends: "Ends (Riyadh)",
    left: "Left",
  },
  credentials: CREDENTIALS,

  orders: {
    find: "Find",
    findHint: "Order, quote or event id, or the Idempotency-Key",
    foundNothing: (text: string) => `No order is known by “${text}”.`,
    filter: "Filter",
    from: "From",
    to: "To",
    show: "Show",
    clear: "Clear",
    wrongDay: "A day is written as 2026-11-21.",
    wrongPartner: (id: string) => `There is no partner “${id}”.`,
    price: "Price (SAR/g)",
    fee: "Fee (SAR)",
    vat: "VAT (SAR)",
    total: "Total (SAR)",
    reference: "Reference",
    nothingYet: "None like this so far; what follows has not been looked at yet.",
    older: "Older",
    newest: "Newest",
    following: "Next",
    first: "First page",
    export: "Export as CSV",
  },

  trade: {
    title: (side: string, gold: string) => `${side}: ${gold} g`,
    order: "Order",
    executed: "Executed (Riyadh)",
    received: "Received (Riyadh)",
    after: "Balances after it",
    afterOf: (money: string, gold: string) => `SAR ${money} and ${gold} g`,
    quote: "Quote",
    quoted: "Quoted (Riyadh)",
    priceAsOf: "Price as of (Riyadh)",
    expires: "Expires (Riyadh)",
    askedByMoney: "Asked for by money (SAR)",
    checks: "Checks",
    checksLead: "Compared anew from the books, each time this page is made.",
    holds: "Holds",
    fails: "Does not hold",
    transfers: "Transfers",
    event: "Event",
    noEvent: "There is no event of this order.",
    sequence: "Sequence",
    delivery: { pending: "Waiting", delivered: "Delivered", exhausted: "Given up" },
    deliveryState: "Delivery",
    deliveredAt: "Delivered (Riyadh)",
    nextAttempt: "Next attempt (Riyadh)",
    attempts: "Delivery attempts",
    noAttempts: "No attempt is on record; attempts are kept for a while only.",
    took: "Took (ms)",
    answer: "Answer",
    address: "Address",
    accepted: "Accepted",
  },

  ...ENGLISH_RECORDS,
  ...ENGLISH_ACTS,
  tradeChecks: CHECKS,
  recountChecks: RECOUNT_CHECKS,
  failures: FAILURES,
  accounts: {
    cash: "Cash",
    house_cash: "House cash",
    withdrawals: "Withdrawals",
    bank: "Bank",
    gold: "Gold",
    allocation: "Allocation",
    vault: "Vault",
  },
};

/** Every text of the console; what a language lacks does not compile. */
export type Messages = typeof ENGLISH;
