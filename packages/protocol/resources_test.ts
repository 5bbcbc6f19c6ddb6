import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { anyText } from "../../test/support/any_text.ts";
import {
  SAMPLE_BALANCES,
  SAMPLE_ENTRY,
  SAMPLE_FUNDING,
  SAMPLE_ORDER,
  SAMPLE_PARTS,
  SAMPLE_PRICE,
  SAMPLE_PROBE,
  SAMPLE_QUOTE,
  SAMPLE_WITHDRAWAL,
  TIME,
  TIME_MS,
  UUID,
} from "../../test/support/resource_samples.ts";
import {
  BALANCES,
  type Balances,
  DELIVERY_ATTEMPT,
  eventToJson,
  FUNDING,
  HEALTH,
  type Health,
  LEDGER_ENTRY,
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
  PRICE,
  QUOTE,
  SIGNED_PROBE,
  STATEMENT,
  type Statement,
  statementToCsv,
  TOKEN,
  type TokenAnswer,
  WireFormatError,
  WITHDRAWAL,
} from "./mod.ts";
import type { Form } from "./form.ts";

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
    { kind: "certificate", credentialId: "ab", validFromMs: TIME_MS, validUntilMs: TIME_MS + 1 },
    { kind: "signing_key", credentialId: "k", validFromMs: TIME_MS, validUntilMs: null },
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
  entries: [SAMPLE_ENTRY, { ...SAMPLE_ENTRY, number: 8, asset: "XAU", amount: 100n }],
};
const SAMPLE_TOKEN: TokenAnswer = {
  accessToken: "a.b.c",
  tokenType: "Bearer",
  expiresInSeconds: 600,
};
const SAMPLE_HEALTH: Health = { status: "ok", environment: "production", serverTimeMs: TIME_MS };

/** Tests that a resource is read as it was written, also by a newer service; `json` is its exact wire form. */
function resource<T>(
  name: string,
  { write, read }: Pick<Form<T>, "write" | "read">,
  value: T,
  json?: string,
): void {
  test(`a ${name} has an exact wire form, is read back, and is refused in other forms`, () => {
    if (json !== undefined) assertEquals(write(value), json);
    const again = read(parseJson(write(value)));
    assertEquals(again, value);
    assertEquals(JSON.parse(JSON.stringify(again)), JSON.parse(write(value)));
    const newer = write(value).replace("{", '{"brand_new":{"a":[1]},');
    assertEquals(read(parseJson(newer)), value);
    for (const text of ["{}", "[]", "null", '"x"', "1"]) {
      assertThrows(() => read(parseJson(text)), WireFormatError);
    }
  });
}

// D9 to D17.
const ORDER_JSON = `{"id":"ord_${UUID}","quote_id":"qt_${UUID}","status":"executed","side":"buy",` +
  '"gold_grams":1.5,"price_per_gram_sar":413,"fee_sar":1.55,"vat_sar":0,"total_sar":621.05,' +
  `"currency":"SAR","client_reference":null,"created_at":${TIME},` +
  '"executed_at":"2026-11-20T09:30:00.004Z"';

resource(
  "price",
  PRICE,
  SAMPLE_PRICE,
  '{"metal":"XAU","karat":24,"fineness":"999.9","currency":"SAR","unit":"gram",' +
    '"buy_price_sar":413,"sell_price_sar":411.005,"mid_price_sar":412.0025,' +
    `"indicative":true,"as_of":${TIME}}`,
);
resource(
  "quote",
  QUOTE,
  SAMPLE_QUOTE,
  `{"id":"qt_${UUID}","status":"open","side":"buy","gold_grams":1.5,` +
    '"price_per_gram_sar":413,"fee_sar":1.55,"vat_rate":0.15,"vat_sar":0,"total_sar":621.05,' +
    `"currency":"SAR","price_as_of":"2026-11-20T09:29:59.750Z","created_at":${TIME},` +
    '"expires_at":"2026-11-20T09:31:00.000Z","valid_for_seconds":60,"order_id":null}',
);
resource("quote by money", QUOTE, { ...SAMPLE_QUOTE, requested: { amountHalalas: 50_000n } });
resource("used quote", QUOTE, { ...SAMPLE_QUOTE, status: "executed", orderId: `ord_${UUID}` });
resource("balance", BALANCES, SAMPLE_BALANCES);
resource("order", ORDER, SAMPLE_ORDER, `${ORDER_JSON}}`);
resource(
  "order with balances",
  ORDER,
  { ...SAMPLE_ORDER, balances: SAMPLE_BALANCES },
  `${ORDER_JSON},"balances":{"sar":378.95,"gold_grams":1.5}}`,
);
resource("order with a reference", ORDER, { ...SAMPLE_ORDER, clientReference: "\u0000\u{1f947}" });
resource(
  "withdrawal",
  WITHDRAWAL,
  SAMPLE_WITHDRAWAL,
  `{"id":"wd_${UUID}","status":"pending","amount_sar":100,"currency":"SAR",` +
    '"iban_masked":"SA03****************7519","client_reference":"say \\"hi\\"",' +
    `"created_at":${TIME},"completed_at":null,"failure":null}`,
);
resource(
  "failed withdrawal",
  WITHDRAWAL,
  { ...SAMPLE_WITHDRAWAL, status: "failed", failureReason: "closed", clientReference: null },
  `{"id":"wd_${UUID}","status":"failed","amount_sar":100,"currency":"SAR",` +
    '"iban_masked":"SA03****************7519","client_reference":null,' +
    `"created_at":${TIME},"completed_at":null,"failure":{"reason":"closed"}}`,
);
resource(
  "funding",
  FUNDING,
  SAMPLE_FUNDING,
  `{"id":"fund_${UUID}","status":"completed","amount_sar":1000,"balance_sar":1000,` +
    `"currency":"SAR","created_at":${TIME}}`,
);
resource(
  "probe",
  SIGNED_PROBE,
  SAMPLE_PROBE,
  '{"verified":true,"key_id":"k","url_form":"absolute","canonical_sha256":"ab",' +
    `"server_time":${TIME},"skew_seconds":-2}`,
);
resource(
  "health",
  HEALTH,
  SAMPLE_HEALTH,
  `{"status":"ok","environment":"production","server_time":${TIME}}`,
);
resource(
  "token",
  TOKEN,
  SAMPLE_TOKEN,
  '{"access_token":"a.b.c","token_type":"Bearer","expires_in":600}',
);
resource("delivery attempt", DELIVERY_ATTEMPT, {
  attemptedAtMs: TIME_MS,
  durationMs: 7,
  status: null,
  failure: "timeout",
  address: null,
});
resource("ledger entry", LEDGER_ENTRY, SAMPLE_ENTRY);
resource(
  "ledger entry of gold",
  LEDGER_ENTRY,
  { ...SAMPLE_ENTRY, asset: "XAU", amount: 1_500_000n },
  '{"number":7,"asset":"XAU","debit_account":"cash","credit_account":"house_cash",' +
    `"amount":1.5,"unit":"gram","source":{"type":"order","id":"ord_${UUID}"},"posted_at":${TIME}}`,
);
resource("me", ME, SAMPLE_ME);
resource("limits", LIMITS, SAMPLE_LIMITS);
resource("statement", STATEMENT, SAMPLE_STATEMENT);
resource<Page<Balances>>(
  "page",
  {
    write: (page) => pageToJson(page, BALANCES.write),
    read: (value) => pageFromJson(value, BALANCES.read),
  },
  { data: [SAMPLE_BALANCES], nextCursor: null },
  '{"data":[{"sar":378.95,"gold_grams":1.5}],"has_more":false,"next_cursor":null}',
);

test("the health of an unavailable service, a token refusal and an event have an exact wire form", () => {
  assertEquals(HEALTH.write({ status: "unavailable" }), '{"status":"unavailable"}');
  assertEquals(
    oauthErrorToJson("invalid_client", "no"),
    '{"error":"invalid_client","error_description":"no"}',
  );
  const event = eventToJson({
    id: `evt_${UUID}`,
    type: "order.executed",
    environment: "sandbox",
    sequence: 3,
    timestampMs: TIME_MS,
    objectJson: ORDER.write(SAMPLE_ORDER),
  });
  assertEquals(
    event,
    `{"id":"evt_${UUID}","type":"order.executed","api_version":"v1","environment":"sandbox",` +
      `"sequence":3,"timestamp":${TIME},"data":{"object":${ORDER_JSON}}}}`,
  );
});

test("an order keeps every amount exactly", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
  const times = fc.integer({ min: 0, max: Date.UTC(9999, 0) });
  fc.assert(
    fc.property(
      amount,
      amount,
      amount,
      times,
      anyText,
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

test("an error about an answer names the member and not its value", () => {
  const json = QUOTE.write(SAMPLE_QUOTE).replace('"total_sar":621.05', '"total_sar":"hush"');
  const error = assertThrows(() => QUOTE.read(parseJson(json)), WireFormatError);
  assertEquals(error.message, "quote: total_sar is not such an amount");
});

test("a statement's CSV has a line of names, CR LF, and no formula", () => {
  const csv = statementToCsv({
    ...SAMPLE_STATEMENT,
    entries: [{ ...SAMPLE_ENTRY, order: SAMPLE_ORDER }, {
      ...SAMPLE_ENTRY,
      order: { ...SAMPLE_ORDER, ...SAMPLE_PARTS, side: "sell", clientReference: "=1" },
    }, { ...SAMPLE_ENTRY, asset: "XAU", amount: 100n, sourceId: '=1+"2",3' }],
  });
  assertEquals(
    csv,
    "number,posted_at,asset,debit_account,credit_account,amount,unit,source_type,source_id," +
      "client_reference,side,gold_grams,price_per_gram_sar,value_sar,fee_sar,gold_vat_rate,gold_vat_sar," +
      "fee_vat_rate,fee_vat_sar,vat_sar,total_sar,price_source,price_as_of\r\n" +
      `7,2026-11-20T09:30:00.000Z,SAR,cash,house_cash,621.05,SAR,order,ord_${UUID},` +
      ",buy,1.5,413,619.5,1.55,not known,not known,not known,not known,0,621.05,not known,not known\r\n" +
      `7,2026-11-20T09:30:00.000Z,SAR,cash,house_cash,621.05,SAR,order,ord_${UUID},` +
      "'=1,sell,1.5,413,622.84,1.55,0,0,0.15,0.24,0.24,621.05,feed,2026-11-20T09:29:59.750Z\r\n" +
      `7,2026-11-20T09:30:00.000Z,XAU,cash,house_cash,0.0001,gram,order,"'=1+""2"",3"${
        ",".repeat(14)
      }\r\n`,
  );
});

test("maskIban() leaves the first and the last four", () => {
  assertEquals(maskIban("SA0380000000608010167519"), "SA03****************7519");
});
