import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  SAMPLE_BALANCES,
  SAMPLE_ENTRY,
  SAMPLE_FUNDING,
  SAMPLE_ORDER,
  SAMPLE_PRICE,
  SAMPLE_PROBE,
  SAMPLE_QUOTE,
  SAMPLE_WITHDRAWAL,
  T,
  TIME,
  UUID,
} from "../../test/support/resource_samples.ts";
import {
  BALANCES,
  eventToJson,
  FUNDING,
  HEALTH,
  LEDGER_ENTRY,
  oauthErrorToJson,
  ORDER,
  pageToJson,
  PRICE,
  QUOTE,
  SIGNED_PROBE,
  TOKEN,
  WITHDRAWAL,
} from "./mod.ts";

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
    SIGNED_PROBE.write(SAMPLE_PROBE),
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
    LEDGER_ENTRY.write({ ...SAMPLE_ENTRY, asset: "XAU", amount: 1_500_000n }),
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
