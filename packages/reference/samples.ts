import { METHODS } from "./clients/methods.ts";
import type { OperationId } from "./operations.ts";

/** The languages of the clients, in the order of a sample's lines. */
export const LANGUAGES = ["TypeScript", "Python", "Go", "Java"] as const;

/** How each client is opened. */
export const OPENING: Sample = [
  'import { createClient, grams, openKit, riyals } from "@sabika/client";\n' +
  'const client = createClient(await openKit(".sabika/partners/demo"));',
  "from decimal import Decimal\nfrom sabika_client import Client, WebhooksScenario, open_kit\n" +
  'client = Client(open_kit(".sabika/partners/demo"))',
  'kit, err := sabika.OpenKit(".sabika/partners/demo")\n' +
  "client := sabika.NewClient(kit, sabika.Options{})",
  'Client client = Client.of(Kit.open(Path.of(".sabika/partners/demo")));',
];

/** A call in each of {@link LANGUAGES}. */
export type Sample = readonly [typescript: string, python: string, go: string, java: string];

const ORDER = '"ord_019e9c5e-51b4-7c01-9f0e-6f1b1a5c7d20"';
const QUOTE = '"qt_019e9c5e-2a00-7b1e-8c3d-94f2a6b0d111"';
const WITHDRAWAL = '"wd_019e9c5e-7c10-7d42-8e1f-3a5b6c7d8e90"';
const CREDENTIAL = '"cr_019e9c60-4411-7e58-b7c2-93d1f0a2e6b5"';
const EVENT = '"evt_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"';
const DAY = '"2026-11-20"';

/** A call that differs between the languages by the method's name alone. */
function same(operation: OperationId, argument = ""): Sample {
  const { name, typescript } = METHODS.find((method) => method.operation === operation)!;
  const words = name.split("_");
  const capital = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  const camel = capital[0]!.toLowerCase() + capital.slice(1);
  return [
    `await client.${typescript ?? camel}(${argument})`,
    `client.${name}(${argument})`,
    `client.${capital}(${["ctx", argument].filter(Boolean).join(", ")})`,
    `client.${camel}(${argument})`,
  ];
}

/** The calls of the operations. The client itself calls the others, or reads none of them. */
export const SAMPLES: Readonly<Partial<Record<OperationId, Sample>>> = {
  getHealth: same("getHealth"),
  getReceiptKeys: same("getReceiptKeys"),
  getAttestationKeys: same("getAttestationKeys"),
  requestCertificate: [
    "await client.requestCertificate({ csr })",
    "client.request_certificate(csr)",
    "client.RequestCertificate(ctx, sabika.CredentialRequest{CSR: csr})",
    "client.requestCertificate(csr, null, null)",
  ],
  requestSigningKey: [
    "await client.requestSigningKey({ csr })",
    "client.request_signing_key(csr)",
    "client.RequestSigningKey(ctx, sabika.CredentialRequest{CSR: csr})",
    "client.requestSigningKey(csr, null, null)",
  ],
  listRequestedCredentials: [
    'await client.listRequestedCredentials({ status: "pending" })',
    'client.list_requested_credentials(status="pending").page()',
    'client.ListRequestedCredentials(sabika.ListFilter{Status: "pending"}).Page(ctx, "")',
    'client.listRequestedCredentials(ListFilter.ALL.withStatus("pending")).page()',
  ],
  getRequestedCredential: same("getRequestedCredential", CREDENTIAL),
  getMe: same("getMe"),
  getLimits: same("getLimits"),
  getPrices: same("getPrices"),
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
  createScenario: [
    'await client.scenario({ webhooks: { comes: "twice", afterSeconds: 5 } })',
    'client.scenario(webhooks=WebhooksScenario("twice", after_seconds=5))',
    'client.Scenario(ctx, sabika.ScenarioRequest{Webhooks: &sabika.WebhooksScenario{Comes: "twice", AfterSeconds: 5}})',
    'client.scenario(new WebhooksScenario("twice", 5L), null)',
  ],
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
  getVault: same("getVault"),
  getVaultVersion: same("getVaultVersion", "1"),
  getReserve: same("getReserve", DAY),
  getReserveOpening: same("getReserveOpening", DAY),
  getBalances: same("getBalances"),
  listQuotes: [
    'for await (const quote of client.listQuotes({ status: "open" }))',
    'for quote in client.list_quotes(status="open"):',
    'client.ListQuotes(sabika.ListFilter{Status: "open"}).All(ctx)',
    'for (Quote listed : client.listQuotes(ListFilter.ALL.withStatus("open")))',
  ],
  getQuote: same("getQuote", QUOTE),
  listOrders: [
    "await client.listOrders({ idempotencyKey: trade })",
    "client.find_order(trade)",
    "client.FindOrder(ctx, trade)",
    "client.findOrder(trade)",
  ],
  getOrder: same("getOrder", ORDER),
  getOrderEvidence: same("getOrderEvidence", ORDER),
  getOrderReceipt: same("getOrderReceipt", ORDER),
  listWithdrawals: [
    'await client.listWithdrawals({ status: "pending" })',
    'client.list_withdrawals(status="pending").page()',
    'client.ListWithdrawals(sabika.ListFilter{Status: "pending"}).Page(ctx, "")',
    'client.listWithdrawals(ListFilter.ALL.withStatus("pending")).page()',
  ],
  getWithdrawal: same("getWithdrawal", WITHDRAWAL),
  getWithdrawalEvidence: same("getWithdrawalEvidence", WITHDRAWAL),
  listLedgerEntries: [
    "for await (const entry of client.listLedgerEntries())",
    "for entry in client.list_ledger_entries():",
    "client.ListLedgerEntries(sabika.EntryFilter{}).All(ctx)",
    "for (LedgerEntry entry : client.listLedgerEntries(EntryFilter.ALL))",
  ],
  getStatement: same("getStatement", DAY),
  listEvents: [
    "for await (const event of client.events({ afterSequence: 0 }))",
    "for event in client.events(after_sequence=0):",
    "client.Events(sabika.EventFilter{AfterSequence: new(int64)}).All(ctx)",
    "for (Event event : client.events(EventFilter.ALL.withAfterSequence(0L)))",
  ],
  streamEvents: [
    "for await (const event of client.streamEvents({ afterSequence: 0 }))",
    "for event in client.stream_events(after_sequence=0):",
    "client.StreamEvents(ctx, 0)",
    "client.streamEvents(0)",
  ],
  getEvent: same("getEvent", EVENT),
  listDeliveryAttempts: [
    `await client.deliveryAttempts(${EVENT})`,
    `client.delivery_attempts(${EVENT}).page()`,
    `client.DeliveryAttempts(${EVENT}, sabika.PageFilter{}).Page(ctx, "")`,
    `client.deliveryAttempts(${EVENT}, PageFilter.ALL).page()`,
  ],
  enableWebhook: [
    "await client.enableWebhook()",
    "client.enable_webhook()",
    'client.EnableWebhook(ctx, "")',
    "client.enableWebhook(null)",
  ],
  redeliverEvent: [
    `await client.redeliver(${EVENT})`,
    `client.redeliver(${EVENT})`,
    `client.Redeliver(ctx, ${EVENT}, "")`,
    `client.redeliver(${EVENT}, null)`,
  ],
  redeliverEvents: [
    "await client.redeliverRange({ fromSequence: 101, toSequence: 200 })",
    "client.redeliver_range(101, 200)",
    "client.RedeliverRange(ctx, sabika.RedeliveryRequest{FromSequence: 101, ToSequence: 200})",
    "client.redeliverRange(101, 200, null)",
  ],
};
