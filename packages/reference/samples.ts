import type { OperationId } from "./operations.ts";

/** The languages of the clients, in the order of a sample's lines. */
export const LANGUAGES = ["TypeScript", "Python", "Go", "Java"] as const;

/** How each client is opened; null for no such client. */
export const OPENING: Sample = [
  'import { createClient, grams, openKit, riyals } from "@sabika/client";\n' +
  'const client = createClient(await openKit(".sabika/partners/demo"));',
  "from decimal import Decimal\nfrom sabika_client import Client, open_kit\n" +
  'client = Client(open_kit(".sabika/partners/demo"))',
  'kit, err := sabika.OpenKit(".sabika/partners/demo")\n' +
  "client := sabika.NewClient(kit, sabika.Options{})",
  'Client client = Client.of(Kit.open(Path.of(".sabika/partners/demo")));',
];

/** A call in each of {@link LANGUAGES}; null where that client has no method for it. */
export type Sample = readonly [
  typescript: string,
  python: string | null,
  go: string | null,
  java: string | null,
];

const ORDER = '"ord_019e9c5e-51b4-7c01-9f0e-6f1b1a5c7d20"';
const QUOTE = '"qt_019e9c5e-2a00-7b1e-8c3d-94f2a6b0d111"';
const WITHDRAWAL = '"wd_019e9c5e-7c10-7d42-8e1f-3a5b6c7d8e90"';
const CREDENTIAL = '"cr_019e9c60-4411-7e58-b7c2-93d1f0a2e6b5"';
const EVENT = '"evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"';
const DAY = '"2026-11-20"';

/** A call of a method that all four clients have, each with a name of its own. */
const named = (typescript: string, python: string, go: string, java: string, argument = "") =>
  [
    `await client.${typescript}(${argument})`,
    `client.${python}(${argument})`,
    `client.${go}(${argument === "" ? "ctx" : `ctx, ${argument}`})`,
    `client.${java}(${argument})`,
  ] as const;

const typescriptAlone = (call: string): Sample => [call, null, null, null];

/** The calls of the operations. The client itself calls the others, or reads none of them. */
export const SAMPLES: Readonly<Partial<Record<OperationId, Sample>>> = {
  getHealth: named("health", "health", "Health", "health"),
  getReceiptKeys: named("receiptKeys", "receipt_keys", "ReceiptKeys", "receiptKeys"),
  getAttestationKeys: named(
    "attestationKeys",
    "attestation_keys",
    "AttestationKeys",
    "attestationKeys",
  ),
  requestCertificate: typescriptAlone("await client.requestCertificate({ csr })"),
  requestSigningKey: typescriptAlone("await client.requestSigningKey({ csr })"),
  listRequestedCredentials: typescriptAlone("await client.listRequestedCredentials()"),
  getRequestedCredential: typescriptAlone(`await client.getRequestedCredential(${CREDENTIAL})`),
  getMe: typescriptAlone("await client.me()"),
  getLimits: typescriptAlone("await client.limits()"),
  getPrices: named("prices", "prices", "Prices", "prices"),
  getPriceHistory: [
    'await client.priceHistory({ interval: "1h" })',
    'client.price_history("1h")',
    'client.PriceHistory(ctx, sabika.HistoryQuery{Interval: "1h"})',
    'client.priceHistory(null, null, "1h")',
  ],
  fund: [
    'await client.fund({ amountHalalas: riyals("1000") })',
    'client.fund(Decimal("1000"))',
    "client.Fund(ctx, sabika.FundRequest{Amount: 1000_00})",
    'client.fund(new BigDecimal("1000"), null)',
  ],
  createScenario: typescriptAlone(
    "await client.scenario({ clock: { advanceToMs: Date.now() + 3_600_000 } })",
  ),
  createQuote: [
    'await client.quote({ side: "buy", goldMicrograms: grams("2.5") })',
    'client.quote("buy", Decimal("2.5"))',
    "client.Quote(ctx, sabika.QuoteRequest{Side: sabika.Buy, Gold: 2_500_000})",
    'client.quote(Side.BUY, new BigDecimal("2.5"), null)',
  ],
  createOrder: [
    "await client.order({ quoteId: quote.id }, { idempotencyKey: trade })",
    "client.order(quote.id, idempotency_key=trade)",
    "client.Order(ctx, sabika.OrderRequest{QuoteID: quote.ID, IdempotencyKey: trade})",
    "client.order(quote.id(), null, trade)",
  ],
  createWithdrawal: [
    'await client.withdraw({ amountHalalas: riyals("250") }, { idempotencyKey: payout })',
    'client.withdraw(Decimal("250"), idempotency_key=payout)',
    "client.Withdraw(ctx, sabika.WithdrawalRequest{Amount: 250_00, IdempotencyKey: payout})",
    'client.withdraw(new BigDecimal("250"), null, payout)',
  ],
  cancelWithdrawal: [
    `await client.cancelWithdrawal(${WITHDRAWAL})`,
    `client.cancel_withdrawal(${WITHDRAWAL})`,
    `client.CancelWithdrawal(ctx, ${WITHDRAWAL}, "")`,
    `client.cancelWithdrawal(${WITHDRAWAL}, null)`,
  ],
  probeSignature: [
    'await client.probe(\'{"hello":"sabika"}\')',
    'client.probe(\'{"hello":"sabika"}\')',
    'client.Probe(ctx, map[string]string{"hello": "sabika"})',
    String.raw`client.probe("{\"hello\":\"sabika\"}")`,
  ],
  getVault: named("vault", "vault", "Vault", "vault"),
  getVaultVersion: named("vaultVersion", "vault_version", "VaultVersion", "vaultVersion", "1"),
  getReserve: named("reserve", "reserve", "Reserve", "reserve", DAY),
  getReserveOpening: named(
    "reserveOpening",
    "reserve_opening",
    "ReserveOpening",
    "reserveOpening",
    DAY,
  ),
  getBalances: named("balances", "balances", "Balances", "balances"),
  listQuotes: typescriptAlone('for await (const quote of client.listQuotes({ status: "open" }))'),
  getQuote: typescriptAlone(`await client.getQuote(${QUOTE})`),
  listOrders: [
    "await client.listOrders({ idempotencyKey: trade })",
    "client.find_order(trade)",
    "client.FindOrder(ctx, trade)",
    "client.findOrder(trade)",
  ],
  getOrder: typescriptAlone(`await client.getOrder(${ORDER})`),
  getOrderEvidence: typescriptAlone(`await client.getOrderEvidence(${ORDER})`),
  getOrderReceipt: named("getReceipt", "receipt", "Receipt", "receipt", ORDER),
  listWithdrawals: typescriptAlone('await client.listWithdrawals({ status: "pending" })'),
  getWithdrawal: typescriptAlone(`await client.getWithdrawal(${WITHDRAWAL})`),
  getWithdrawalEvidence: typescriptAlone(`await client.getWithdrawalEvidence(${WITHDRAWAL})`),
  listLedgerEntries: typescriptAlone("for await (const entry of client.listLedgerEntries())"),
  getStatement: typescriptAlone(`await client.statement(${DAY})`),
  listEvents: typescriptAlone(
    "for await (const event of client.events({ afterSequence: 0 }))",
  ),
  streamEvents: typescriptAlone(
    "for await (const event of client.streamEvents({ afterSequence: 0 }))",
  ),
  getEvent: typescriptAlone(`await client.getEvent(${EVENT})`),
  listDeliveryAttempts: typescriptAlone(`await client.deliveryAttempts(${EVENT})`),
  enableWebhook: typescriptAlone("await client.enableWebhook()"),
  redeliverEvent: typescriptAlone(`await client.redeliver(${EVENT})`),
  redeliverEvents: typescriptAlone(
    "await client.redeliverRange({ fromSequence: 101, toSequence: 200 })",
  ),
};
