import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  BALANCES,
  type Balances,
  DELIVERY_ATTEMPT,
  eventFromJson,
  eventToJson,
  EXPIRING_CREDENTIAL,
  FUNDING,
  type Funding,
  HEALTH,
  type Health,
  type JsonValue,
  LEDGER_ENTRY,
  type LedgerEntry,
  LIMITS,
  type Limits,
  maskIban,
  ME,
  type Me,
  oauthErrorToJson,
  ORDER,
  type Order,
  type Page,
  pageFromJson,
  pageToJson,
  parseJson,
  type PartnerEvent,
  PING_OBJECT_JSON,
  PRICE,
  type Price,
  QUOTE,
  type Quote,
  SIGNED_PROBE,
  type SignedProbe,
  STATEMENT,
  type Statement,
  statementToCsv,
  TOKEN,
  type TokenAnswer,
  WireFormatError,
  WITHDRAWAL,
  type Withdrawal,
} from "./mod.ts";

const UUID = "01935a5c-7c00-7abc-8def-0123456789ab";
const T = Date.UTC(2026, 10, 20, 9, 30);
const TIME = '"2026-11-20T09:30:00.000Z"';

const SAMPLE_PRICE: Price = {
  buyPriceTenThousandths: 4_130_000n,
  sellPriceTenThousandths: 4_110_050n,
  midPriceTenThousandths: 4_120_025n,
  asOfMs: T,
};
const SAMPLE_QUOTE: Quote = {
  id: `qt_${UUID}`,
  status: "open",
  side: "buy",
  goldMicrograms: 1_500_000n,
  pricePerGramTenThousandths: 4_130_000n,
  feeHalalas: 155n,
  vatRatePpm: 150_000n,
  vatHalalas: 0n,
  totalHalalas: 62_105n,
  priceAsOfMs: T - 250,
  createdAtMs: T,
  expiresAtMs: T + 60_000,
  orderId: null,
};
const SAMPLE_BALANCES: Balances = { sarHalalas: 37_895n, goldMicrograms: 1_500_000n };
const SAMPLE_ORDER: Order = {
  id: `ord_${UUID}`,
  quoteId: `qt_${UUID}`,
  status: "executed",
  side: "buy",
  goldMicrograms: 1_500_000n,
  pricePerGramTenThousandths: 4_130_000n,
  feeHalalas: 155n,
  vatHalalas: 0n,
  totalHalalas: 62_105n,
  clientReference: null,
  createdAtMs: T,
  executedAtMs: T + 4,
};
const SAMPLE_WITHDRAWAL: Withdrawal = {
  id: `wd_${UUID}`,
  status: "pending",
  amountHalalas: 10_000n,
  ibanMasked: "SA03****************7519",
  clientReference: 'say "hi"',
  createdAtMs: T,
  completedAtMs: null,
  failureReason: null,
};
const SAMPLE_FUNDING: Funding = {
  id: `fund_${UUID}`,
  status: "completed",
  amountHalalas: 100_000n,
  balanceHalalas: 100_000n,
  createdAtMs: T,
};
const PROBE: SignedProbe = {
  keyId: "k",
  urlForm: "absolute",
  canonicalSha256: "ab",
  serverTimeMs: T,
  skewSeconds: -2,
};
const ENTRY: LedgerEntry = {
  number: 7,
  asset: "SAR",
  debitAccount: "cash",
  creditAccount: "house_cash",
  amount: 62_105n,
  sourceKind: "order",
  sourceId: `ord_${UUID}`,
  postedAtMs: T,
};

const ORDER_JSON = `{"id":"ord_${UUID}","quote_id":"qt_${UUID}","status":"executed","side":"buy",` +
  '"gold_grams":1.5,"price_per_gram_sar":413,"fee_sar":1.55,"vat_sar":0,"total_sar":621.05,' +
  `"currency":"SAR","client_reference":null,"created_at":${TIME},` +
  '"executed_at":"2026-11-20T09:30:00.004Z"';

// The wire text to the letter: D9 to D17.
const WIRE: readonly (readonly [string, string, string])[] = [
  [
    "price",
    PRICE.write(SAMPLE_PRICE),
    '{"metal":"XAU","karat":24,"fineness":"999.9","currency":"SAR","unit":"gram",' +
    '"buy_price_sar":413,"sell_price_sar":411.005,"mid_price_sar":412.0025,' +
    `"indicative":true,"as_of":${TIME}}`,
  ],
  [
    "quote",
    QUOTE.write(SAMPLE_QUOTE),
    `{"id":"qt_${UUID}","status":"open","side":"buy","gold_grams":1.5,` +
    '"price_per_gram_sar":413,"fee_sar":1.55,"vat_rate":0.15,"vat_sar":0,"total_sar":621.05,' +
    `"currency":"SAR","price_as_of":"2026-11-20T09:29:59.750Z","created_at":${TIME},` +
    '"expires_at":"2026-11-20T09:31:00.000Z","valid_for_seconds":60,"order_id":null}',
  ],
  ["order", ORDER.write(SAMPLE_ORDER), `${ORDER_JSON}}`],
  [
    "order with balances",
    ORDER.write({ ...SAMPLE_ORDER, balances: SAMPLE_BALANCES }),
    `${ORDER_JSON},"balances":{"sar":378.95,"gold_grams":1.5}}`,
  ],
  [
    "withdrawal",
    WITHDRAWAL.write(SAMPLE_WITHDRAWAL),
    `{"id":"wd_${UUID}","status":"pending","amount_sar":100,"currency":"SAR",` +
    '"iban_masked":"SA03****************7519","client_reference":"say \\"hi\\"",' +
    `"created_at":${TIME},"completed_at":null,"failure":null}`,
  ],
  [
    "failed withdrawal",
    WITHDRAWAL.write({
      ...SAMPLE_WITHDRAWAL,
      status: "failed",
      failureReason: "closed",
      clientReference: null,
    }),
    `{"id":"wd_${UUID}","status":"failed","amount_sar":100,"currency":"SAR",` +
    '"iban_masked":"SA03****************7519","client_reference":null,' +
    `"created_at":${TIME},"completed_at":null,"failure":{"reason":"closed"}}`,
  ],
  [
    "funding",
    FUNDING.write(SAMPLE_FUNDING),
    `{"id":"fund_${UUID}","status":"completed","amount_sar":1000,"balance_sar":1000,` +
    `"currency":"SAR","created_at":${TIME}}`,
  ],
  [
    "probe",
    SIGNED_PROBE.write(PROBE),
    '{"verified":true,"key_id":"k","url_form":"absolute","canonical_sha256":"ab",' +
    `"server_time":${TIME},"skew_seconds":-2}`,
  ],
  [
    "health",
    HEALTH.write({ status: "ok", environment: "sandbox", serverTimeMs: T }),
    `{"status":"ok","environment":"sandbox","server_time":${TIME}}`,
  ],
  ["bad health", HEALTH.write({ status: "unavailable" }), '{"status":"unavailable"}'],
  [
    "token",
    TOKEN.write({ accessToken: "a.b.c", tokenType: "Bearer", expiresInSeconds: 600 }),
    '{"access_token":"a.b.c","token_type":"Bearer","expires_in":600}',
  ],
  [
    "refused token",
    oauthErrorToJson("invalid_client", "no"),
    '{"error":"invalid_client","error_description":"no"}',
  ],
  [
    "webhook",
    eventToJson({
      id: `evt_${UUID}`,
      type: "order.executed",
      environment: "sandbox",
      sequence: 3,
      timestampMs: T,
      objectJson: ORDER.write(SAMPLE_ORDER),
    }),
    `{"id":"evt_${UUID}","type":"order.executed","api_version":"v1","environment":"sandbox",` +
    `"sequence":3,"timestamp":${TIME},"data":{"object":${ORDER_JSON}}}}`,
  ],
  [
    "ledger entry of gold",
    LEDGER_ENTRY.write({ ...ENTRY, asset: "XAU", amount: 1_500_000n }),
    '{"number":7,"asset":"XAU","debit_account":"cash","credit_account":"house_cash",' +
    `"amount":1.5,"unit":"gram","source":{"type":"order","id":"ord_${UUID}"},"posted_at":${TIME}}`,
  ],
  [
    "last page",
    pageToJson({ data: [SAMPLE_BALANCES], nextCursor: null }, BALANCES.write),
    '{"data":[{"sar":378.95,"gold_grams":1.5}],"has_more":false,"next_cursor":null}',
  ],
];
for (const [name, json, expected] of WIRE) {
  test(`the wire form of a ${name} is written to the letter`, () => {
    assertEquals(json, expected);
    JSON.parse(json);
  });
}

const SAMPLE_ME: Me = {
  clientId: "demo",
  name: "Demo \u0628\u0646\u0643",
  environment: "sandbox",
  status: "active",
  settlementIbanMasked: "SA03****************7519",
  webhookUrl: null,
  addresses: ["10.0.0.0/8", "::1/128"],
  spreadPpm: 2_500n,
  feePpm: 0n,
  credentials: [
    { kind: "certificate", credentialId: "ab", validFromMs: T, validUntilMs: T + 1 },
    { kind: "signing_key", credentialId: "k", validFromMs: T, validUntilMs: null },
  ],
};
const SAMPLE_LIMITS: Limits = {
  quoteMinMicrograms: 10_000n,
  quoteMaxMicrograms: 10_000_000_000n,
  openQuotesLimit: 100,
  rateLimits: {
    token: { perSecond: 0.5, burst: 10 },
    read: { perSecond: 100, burst: 200 },
    write: { perSecond: 100, burst: 200 },
    signed: { perSecond: 100, burst: 200 },
    nonces: { perSecond: 10, burst: 20_000 },
  },
};
const SAMPLE_STATEMENT: Statement = {
  date: "2026-11-20",
  provisional: true,
  opening: { sarHalalas: 0n, goldMicrograms: 0n },
  closing: SAMPLE_BALANCES,
  entries: [ENTRY, { ...ENTRY, number: 8, asset: "XAU", amount: 100n }],
};
const SAMPLE_TOKEN: TokenAnswer = {
  accessToken: "a.b.c",
  tokenType: "Bearer",
  expiresInSeconds: 600,
};
const SAMPLE_HEALTH: Health = { status: "ok", environment: "production", serverTimeMs: T };

function roundTrip<T>(
  name: string,
  resource: T,
  toJson: (resource: T) => string,
  fromJson: (value: JsonValue) => T,
): void {
  test(`a ${name} is read as it was written`, () => {
    assertEquals(fromJson(parseJson(toJson(resource))), resource);
  });
  test(`a ${name} with members of a newer service is read all the same`, () => {
    const json = toJson(resource).replace("{", '{"brand_new":{"a":[1]},');
    assertEquals(fromJson(parseJson(json)), resource);
  });
  test(`a ${name} without its members, or something else, is refused`, () => {
    for (const text of ["{}", "[]", "null", '"x"', "1"]) {
      assertThrows(() => fromJson(parseJson(text)), WireFormatError);
    }
  });
}
roundTrip("price", SAMPLE_PRICE, PRICE.write, PRICE.read);
roundTrip("quote", SAMPLE_QUOTE, QUOTE.write, QUOTE.read);
roundTrip(
  "quote by money",
  { ...SAMPLE_QUOTE, requested: { amountHalalas: 50_000n } },
  QUOTE.write,
  QUOTE.read,
);
roundTrip(
  "used quote",
  { ...SAMPLE_QUOTE, status: "executed" as const, orderId: `ord_${UUID}` as const },
  QUOTE.write,
  QUOTE.read,
);
roundTrip("balance", SAMPLE_BALANCES, BALANCES.write, BALANCES.read);
roundTrip("order", SAMPLE_ORDER, ORDER.write, ORDER.read);
roundTrip(
  "order with balances",
  { ...SAMPLE_ORDER, clientReference: "\u0000\u{1f947}", balances: SAMPLE_BALANCES },
  ORDER.write,
  ORDER.read,
);
roundTrip("withdrawal", SAMPLE_WITHDRAWAL, WITHDRAWAL.write, WITHDRAWAL.read);
roundTrip(
  "failed withdrawal",
  { ...SAMPLE_WITHDRAWAL, status: "failed" as const, completedAtMs: T, failureReason: "x" },
  WITHDRAWAL.write,
  WITHDRAWAL.read,
);
roundTrip("funding", SAMPLE_FUNDING, FUNDING.write, FUNDING.read);
roundTrip("probe", PROBE, SIGNED_PROBE.write, SIGNED_PROBE.read);
roundTrip("health", SAMPLE_HEALTH, HEALTH.write, HEALTH.read);
roundTrip("token", SAMPLE_TOKEN, TOKEN.write, TOKEN.read);
roundTrip(
  "delivery attempt",
  { attemptedAtMs: T, durationMs: 7, status: null, failure: "timeout" as const, address: null },
  DELIVERY_ATTEMPT.write,
  DELIVERY_ATTEMPT.read,
);
roundTrip("ledger entry", ENTRY, LEDGER_ENTRY.write, LEDGER_ENTRY.read);
roundTrip("me", SAMPLE_ME, ME.write, ME.read);
roundTrip("limits", SAMPLE_LIMITS, LIMITS.write, LIMITS.read);
roundTrip("statement", SAMPLE_STATEMENT, STATEMENT.write, STATEMENT.read);
roundTrip<Page<Balances>>(
  "page",
  { data: [SAMPLE_BALANCES, SAMPLE_BALANCES], nextCursor: "c" },
  (page) => pageToJson(page, BALANCES.write),
  (value) => pageFromJson(value, BALANCES.read),
);

test("an order keeps every amount, whatever it is", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
  const times = fc.integer({ min: 0, max: Date.UTC(9999, 0) });
  fc.assert(
    fc.property(
      amount,
      amount,
      amount,
      times,
      fc.string({ unit: "binary" }),
      (gold, price, total, at, clientReference) => {
        const order: Order = {
          ...SAMPLE_ORDER,
          goldMicrograms: gold * 100n,
          pricePerGramTenThousandths: price,
          totalHalalas: total,
          createdAtMs: at,
          clientReference,
        };
        assertEquals(ORDER.read(parseJson(ORDER.write(order))), order);
      },
    ),
  );
});

test("an error about an answer names the member and not what it held", () => {
  const json = QUOTE.write(SAMPLE_QUOTE).replace('"total_sar":621.05', '"total_sar":"hush"');
  const error = assertThrows(() => QUOTE.read(parseJson(json)), WireFormatError);
  assertEquals(error.message, "quote: total_sar is not such an amount");
});

const EVENT: PartnerEvent = {
  id: `evt_${UUID}`,
  type: "ping",
  environment: "sandbox",
  sequence: 1,
  timestampMs: T,
  objectJson: PING_OBJECT_JSON,
};
const ENVELOPE = { id: EVENT.id, environment: EVENT.environment, sequence: 1, timestampMs: T };
const CREDENTIAL = {
  kind: "certificate",
  credentialId: "ab",
  expiresAtMs: T,
  daysLeft: 30,
} as const;
const EVENTS = [
  ["order.executed", ORDER.write(SAMPLE_ORDER), SAMPLE_ORDER],
  ["funding.completed", FUNDING.write(SAMPLE_FUNDING), SAMPLE_FUNDING],
  ["withdrawal.created", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["withdrawal.completed", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["withdrawal.failed", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["withdrawal.cancelled", WITHDRAWAL.write(SAMPLE_WITHDRAWAL), SAMPLE_WITHDRAWAL],
  ["credential.expiring", EXPIRING_CREDENTIAL.write(CREDENTIAL), CREDENTIAL],
  ["ping", PING_OBJECT_JSON, null],
] as const;
for (const [type, objectJson, object] of EVENTS) {
  test(`eventFromJson() reads ${type} with its object`, () => {
    const received: unknown = eventFromJson(parseJson(eventToJson({ ...EVENT, type, objectJson })));
    assertEquals(received, { ...ENVELOPE, type, object });
  });
}

test("eventFromJson() reads how a delivery stands", () => {
  const delivery = {
    status: "pending",
    attempts: 2,
    nextAttemptAtMs: T,
    deliveredAtMs: null,
  } as const;
  assertEquals(eventFromJson(parseJson(eventToJson({ ...EVENT, delivery }))).delivery, delivery);
});

test("eventFromJson() passes on an event of a newer service as unknown", () => {
  const json = eventToJson(EVENT).replace('"ping"', '"gold.moved"').replace("{}", '"x"');
  const received: unknown = eventFromJson(parseJson(json));
  assertEquals(received, { ...ENVELOPE, type: "unknown", name: "gold.moved", object: "x" });
});

test("a statement's CSV has a line of names, CR LF, and no formula", () => {
  const csv = statementToCsv({
    ...SAMPLE_STATEMENT,
    entries: [ENTRY, { ...ENTRY, asset: "XAU", amount: 100n, sourceId: '=1+"2",3' }],
  });
  assertEquals(
    csv,
    "number,posted_at,asset,debit_account,credit_account,amount,unit,source_type,source_id\r\n" +
      `7,2026-11-20T09:30:00.000Z,SAR,cash,house_cash,621.05,SAR,order,ord_${UUID}\r\n` +
      `7,2026-11-20T09:30:00.000Z,XAU,cash,house_cash,0.0001,gram,order,"'=1+""2"",3"\r\n`,
  );
});

test("maskIban() leaves the first and the last four", () => {
  assertEquals(maskIban("SA0380000000608010167519"), "SA03****************7519");
});
