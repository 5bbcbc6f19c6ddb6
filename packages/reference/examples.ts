import {
  BALANCES,
  type Balances,
  DELIVERY_ATTEMPT,
  EXPIRING_CREDENTIAL,
  formatTime,
  FUNDING,
  type Funding,
  FUNDING_REQUEST,
  HEALTH,
  LEDGER_ENTRY,
  type LedgerEntry,
  LIMITS,
  ME,
  ORDER,
  type Order,
  ORDER_REQUEST,
  PRICE,
  QUOTE,
  type Quote,
  QUOTE_REQUEST,
  SIGNED_PROBE,
  STATEMENT,
  TOKEN,
  WEBHOOK_ENABLED,
  WITHDRAWAL,
  type Withdrawal,
  WITHDRAWAL_REQUEST,
} from "@sabika/protocol";

const AT = Date.UTC(2026, 10, 20, 9, 0, 0);
/** The moment of the examples. */
export const EXAMPLE_TIME = formatTime(AT);

const BALANCES_AFTER: Balances = { sarHalalas: 396_089n, goldMicrograms: 2_500_000n };

const quote: Quote = {
  id: "qt_019e9c5e-29a6-7440-a1da-ccc3cd98406e",
  status: "open",
  side: "buy",
  goldMicrograms: 2_500_000n,
  pricePerGramTenThousandths: 4_123_456n,
  feeHalalas: 515n,
  vatRatePpm: 0n,
  vatHalalas: 0n,
  totalHalalas: 103_602n,
  priceAsOfMs: AT - 400,
  createdAtMs: AT,
  expiresAtMs: AT + 60_000,
  orderId: null,
};
const order: Order = {
  id: "ord_019e9c5e-51b4-7c01-9f0e-6f1b1a5c7d20",
  quoteId: quote.id,
  status: "executed",
  side: quote.side,
  goldMicrograms: quote.goldMicrograms,
  pricePerGramTenThousandths: quote.pricePerGramTenThousandths,
  feeHalalas: quote.feeHalalas,
  vatHalalas: quote.vatHalalas,
  totalHalalas: quote.totalHalalas,
  clientReference: "trade-4711",
  createdAtMs: AT + 10_250,
  executedAtMs: AT + 10_254,
};
const funding: Funding = {
  id: "fund_019e9c5d-f2aa-7d3c-8a10-0b5f6e2d9c41",
  status: "completed",
  amountHalalas: 500_000n,
  balanceHalalas: 500_000n,
  createdAtMs: AT - 14_000,
};
const withdrawal: Withdrawal = {
  id: "wd_019e9c60-4411-7e58-b7c2-93d1f0a2e6b5",
  status: "pending",
  amountHalalas: 10_000n,
  ibanMasked: "SA03****************7519",
  clientReference: null,
  createdAtMs: AT + 138_000,
  completedAtMs: null,
  failureReason: null,
};
const entry: LedgerEntry = {
  number: 2,
  asset: "XAU",
  debitAccount: "allocation",
  creditAccount: "gold",
  amount: quote.goldMicrograms,
  sourceKind: "order",
  sourceId: order.id,
  postedAtMs: order.executedAtMs,
};
const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const bucket = { perSecond: 2000, burst: 4000 };

const json = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>;

/** What stands in the document and on the page, each written by its own form. */
export const EXAMPLES = {
  health: json(HEALTH.write({ status: "ok", environment: "sandbox", serverTimeMs: AT })),
  unavailable: json(HEALTH.write({ status: "unavailable" })),
  token: json(
    TOKEN.write({
      accessToken: "eyJ…",
      tokenType: "Bearer",
      expiresInSeconds: 600,
      scope: "read trade withdraw",
    }),
  ),
  price: json(PRICE.write({
    buyPriceTenThousandths: 4_123_456n,
    sellPriceTenThousandths: 4_082_424n,
    midPriceTenThousandths: 4_102_940n,
    asOfMs: AT - 400,
  })),
  quoteRequest: json(QUOTE_REQUEST.write({ side: "buy", goldMicrograms: 2_500_000n })),
  quote: json(QUOTE.write(quote)),
  orderRequest: json(
    ORDER_REQUEST.write({ quoteId: quote.id, clientReference: order.clientReference }),
  ),
  order: json(ORDER.write(order)),
  orderWithBalances: json(ORDER.write({ ...order, balances: BALANCES_AFTER })),
  fundingRequest: json(FUNDING_REQUEST.write({ amountHalalas: funding.amountHalalas })),
  funding: json(FUNDING.write(funding)),
  withdrawalRequest: json(
    WITHDRAWAL_REQUEST.write({ amountHalalas: withdrawal.amountHalalas, clientReference: null }),
  ),
  withdrawal: json(WITHDRAWAL.write(withdrawal)),
  probe: json(SIGNED_PROBE.write({
    keyId: "Zr1kFm0X5qvS0mWpH2o1c2mV7uZ8b0d3yQk9tJ4aL6E",
    urlForm: "absolute",
    canonicalSha256: HASH,
    serverTimeMs: AT,
    skewSeconds: 0,
  })),
  balances: json(BALANCES.write(BALANCES_AFTER)),
  ledgerEntry: json(LEDGER_ENTRY.write(entry)),
  statement: json(STATEMENT.write({
    date: "2026-11-20",
    provisional: true,
    opening: { sarHalalas: 0n, goldMicrograms: 0n },
    closing: BALANCES_AFTER,
    entries: [entry],
  })),
  me: json(ME.write({
    clientId: "demo",
    name: "Demo Bank",
    environment: "sandbox",
    status: "active",
    settlementIbanMasked: withdrawal.ibanMasked,
    webhookUrl: "https://127.0.0.1:9443/webhooks",
    webhook: {
      status: "healthy",
      sinceMs: null,
      disabledBy: null,
      failure: null,
      inFlight: 16,
      pendingEvents: 0,
      oldestPending: null,
      lagSeconds: 0,
    },
    addresses: [],
    spreadPpm: 5_000n,
    feePpm: 5_000n,
    credentials: [{
      kind: "certificate",
      credentialId: HASH,
      validFromMs: AT,
      validUntilMs: AT + 365 * 86_400_000,
    }],
  })),
  webhookEnabled: json(WEBHOOK_ENABLED.write({
    enabledAtMs: AT,
    pingId: "evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80",
  })),
  deliveryAttempt: json(DELIVERY_ATTEMPT.write({
    attemptedAtMs: AT,
    durationMs: 48,
    status: 204,
    failure: null,
    address: "198.51.100.7:443",
  })),
  expiringCredential: json(EXPIRING_CREDENTIAL.write({
    kind: "certificate",
    credentialId: HASH,
    expiresAtMs: AT + 30 * 86_400_000,
    daysLeft: 30,
  })),
  limits: json(LIMITS.write({
    quoteMinMicrograms: 10_000n,
    quoteMaxMicrograms: 10_000_000_000n,
    openQuotesLimit: 100,
    rateLimits: {
      token: { perSecond: 20, burst: 100 },
      read: bucket,
      write: bucket,
      signed: bucket,
    },
  })),
};
