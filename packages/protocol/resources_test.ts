import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
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
  UUID,
} from "../../test/support/resource_samples.ts";
import {
  BALANCES,
  type Balances,
  DELIVERY_ATTEMPT,
  FUNDING,
  HEALTH,
  type Health,
  type JsonValue,
  LEDGER_ENTRY,
  LIMITS,
  type Limits,
  maskIban,
  ME,
  type Me,
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
  entries: [SAMPLE_ENTRY, { ...SAMPLE_ENTRY, number: 8, asset: "XAU", amount: 100n }],
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
roundTrip("probe", SAMPLE_PROBE, SIGNED_PROBE.write, SIGNED_PROBE.read);
roundTrip("health", SAMPLE_HEALTH, HEALTH.write, HEALTH.read);
roundTrip("token", SAMPLE_TOKEN, TOKEN.write, TOKEN.read);
roundTrip(
  "delivery attempt",
  { attemptedAtMs: T, durationMs: 7, status: null, failure: "timeout" as const, address: null },
  DELIVERY_ATTEMPT.write,
  DELIVERY_ATTEMPT.read,
);
roundTrip("ledger entry", SAMPLE_ENTRY, LEDGER_ENTRY.write, LEDGER_ENTRY.read);
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

test("a statement's CSV has a line of names, CR LF, and no formula", () => {
  const csv = statementToCsv({
    ...SAMPLE_STATEMENT,
    entries: [SAMPLE_ENTRY, { ...SAMPLE_ENTRY, asset: "XAU", amount: 100n, sourceId: '=1+"2",3' }],
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
