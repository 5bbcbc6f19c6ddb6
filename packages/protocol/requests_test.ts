import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  type FieldErrorCode,
  fundingRequestFromJson,
  fundingRequestToJson,
  type JsonValue,
  orderRequestFromJson,
  orderRequestToJson,
  type Parsed,
  parseJson,
  quoteRequestFromJson,
  quoteRequestToJson,
  tokenRequestToForm,
  withdrawalRequestFromJson,
  withdrawalRequestToJson,
} from "./mod.ts";

type Read = (value: JsonValue) => Parsed<unknown>;

const NAME_OF = new Map<Read, string>([
  [quoteRequestFromJson, "quoteRequestFromJson"],
  [orderRequestFromJson, "orderRequestFromJson"],
  [fundingRequestFromJson, "fundingRequestFromJson"],
  [withdrawalRequestFromJson, "withdrawalRequestFromJson"],
]);

const ACCEPTED: readonly (readonly [Read, string, unknown])[] = [
  [quoteRequestFromJson, '{"side":"buy","gold_grams":1.5}', {
    side: "buy",
    goldMicrograms: 1_500_000n,
  }],
  [quoteRequestFromJson, '{"gold_grams":0.0001,"side":"sell"}', {
    side: "sell",
    goldMicrograms: 100n,
  }],
  [quoteRequestFromJson, '{"side":"buy","gold_grams":2.00}', {
    side: "buy",
    goldMicrograms: 2_000_000n,
  }],
  [quoteRequestFromJson, '{"side":"buy","amount_sar":500}', {
    side: "buy",
    amountHalalas: 50_000n,
  }],
  [orderRequestFromJson, '{"quote_id":"qt_1"}', { quoteId: "qt_1", clientReference: null }],
  [orderRequestFromJson, '{"quote_id":"qt_1","client_reference":null}', {
    quoteId: "qt_1",
    clientReference: null,
  }],
  [orderRequestFromJson, '{"quote_id":"qt_1","client_reference":"a \u{1f947}"}', {
    quoteId: "qt_1",
    clientReference: "a \u{1f947}",
  }],
  [withdrawalRequestFromJson, '{"amount_sar":100}', {
    amountHalalas: 10_000n,
    clientReference: null,
  }],
  [withdrawalRequestFromJson, '{"amount_sar":100,"client_reference":"r"}', {
    amountHalalas: 10_000n,
    clientReference: "r",
  }],
];
for (const [read, text, value] of ACCEPTED) {
  test(`${NAME_OF.get(read)}() reads ${text}`, () => {
    assertEquals(read(parseJson(text)), { ok: true, value });
  });
}

const REFUSED:
  readonly (readonly [Read, string, readonly (readonly [string, FieldErrorCode])[]])[] = [
    [quoteRequestFromJson, "{}", [["/gold_grams", "required"], ["/side", "required"]]],
    [quoteRequestFromJson, '{"side":"buy","gold_grams":1,"amount_sar":500}', [[
      "/amount_sar",
      "not_allowed",
    ]]],
    [quoteRequestFromJson, '{"side":"buy","gold_grams":null,"amount_sar":500}', [[
      "/amount_sar",
      "not_allowed",
    ], ["/gold_grams", "wrong_type"]]],
    [quoteRequestFromJson, '{"side":"buy","amount_sar":0.001}', [["/amount_sar", "too_precise"]]],
    [quoteRequestFromJson, "[]", [["", "wrong_type"]]],
    [quoteRequestFromJson, "null", [["", "wrong_type"]]],
    [quoteRequestFromJson, '"buy"', [["", "wrong_type"]]],
    [quoteRequestFromJson, '{"side":"hold","gold_grams":1}', [["/side", "not_allowed"]]],
    [quoteRequestFromJson, '{"side":"Buy","gold_grams":1}', [["/side", "not_allowed"]]],
    [quoteRequestFromJson, '{"side":null,"gold_grams":null}', [["/side", "wrong_type"], [
      "/gold_grams",
      "wrong_type",
    ]]],
    [quoteRequestFromJson, '{"side":"buy","gold_grams":1,"grams":1}', [[
      "/grams",
      "unknown_member",
    ]]],
    [quoteRequestFromJson, '{"side":"buy","gold_grams":1,"a/b~c":1}', [[
      "/a~1b~0c",
      "unknown_member",
    ]]],
    [quoteRequestFromJson, '{"side":"buy","gold_grams":1,"__proto__":1}', [[
      "/__proto__",
      "unknown_member",
    ]]],
    [orderRequestFromJson, '{"quote_id":1}', [["/quote_id", "wrong_type"]]],
    [orderRequestFromJson, '{"quote_id":"q","client_reference":""}', [[
      "/client_reference",
      "wrong_form",
    ]]],
    [orderRequestFromJson, '{"quote_id":"q","client_reference":"\\u0000"}', [[
      "/client_reference",
      "wrong_form",
    ]]],
    [orderRequestFromJson, '{"quote_id":"q","client_reference":7}', [[
      "/client_reference",
      "wrong_type",
    ]]],
    [orderRequestFromJson, `{"quote_id":"q","client_reference":"${"r".repeat(65)}"}`, [[
      "/client_reference",
      "too_long",
    ]]],
    [fundingRequestFromJson, '{"amount_sar":1,"client_reference":"r"}', [[
      "/client_reference",
      "unknown_member",
    ]]],
    [withdrawalRequestFromJson, '{"amount_sar":1,"iban":"SA0"}', [["/iban", "unknown_member"]]],
  ];
for (const [read, text, errors] of REFUSED) {
  test(`${NAME_OF.get(read)}() refuses ${text.slice(0, 60)}`, () => {
    const parsed = read(parseJson(text));
    assert(!parsed.ok);
    assertEquals(parsed.errors.map(({ pointer, code }) => [pointer, code] as const), [...errors]);
  });
}

// F67 of the fault catalogue: what is JSON, but no amount.
const NO_AMOUNTS: readonly (readonly [string, FieldErrorCode])[] = [
  ["1e2", "wrong_form"],
  ["1.0000000001", "too_precise"],
  ["0", "not_positive"],
  ["-1", "not_positive"],
  ['"10"', "wrong_type"],
  ["true", "wrong_type"],
  ["null", "wrong_type"],
  ["[1]", "wrong_type"],
  ['{"value":1}', "wrong_type"],
];
for (const [text, code] of NO_AMOUNTS) {
  test(`${text} is no amount of gold or money: ${code}`, () => {
    const gold = quoteRequestFromJson(parseJson(`{"side":"buy","gold_grams":${text}}`));
    const money = fundingRequestFromJson(parseJson(`{"amount_sar":${text}}`));
    const spent = quoteRequestFromJson(parseJson(`{"side":"buy","amount_sar":${text}}`));
    assert(!gold.ok && !money.ok && !spent.ok);
    assertEquals([gold, money, spent].map(({ errors }) => errors[0]?.code), [code, code, code]);
  });
}

test("a message never repeats what was sent", () => {
  const parsed = orderRequestFromJson(
    parseJson('{"quote_id":["hush"],"client_reference":{"x":"hush"}}'),
  );
  assert(!parsed.ok);
  assert(!JSON.stringify(parsed.errors).includes("hush"));
});

test("a reference of 64 characters beyond the basic plane is not too long", () => {
  const text = `{"quote_id":"q","client_reference":"${"\u{1f947}".repeat(64)}"}`;
  assert(orderRequestFromJson(parseJson(text)).ok);
});

test("requests are read as they are written", () => {
  const quote = { side: "sell", goldMicrograms: 123_400n } as const;
  assertEquals(quoteRequestToJson(quote), '{"side":"sell","gold_grams":0.1234}');
  assertEquals(quoteRequestFromJson(parseJson(quoteRequestToJson(quote))), {
    ok: true,
    value: quote,
  });
  const byMoney = { side: "buy", amountHalalas: 50_050n } as const;
  assertEquals(quoteRequestToJson(byMoney), '{"side":"buy","amount_sar":500.5}');
  assertEquals(quoteRequestFromJson(parseJson(quoteRequestToJson(byMoney))), {
    ok: true,
    value: byMoney,
  });
  for (const clientReference of [null, 'a"b\\']) {
    const order = { quoteId: "qt_1", clientReference };
    assertEquals(orderRequestFromJson(parseJson(orderRequestToJson(order))), {
      ok: true,
      value: order,
    });
    const withdrawal = { amountHalalas: 12_050n, clientReference };
    assertEquals(withdrawalRequestFromJson(parseJson(withdrawalRequestToJson(withdrawal))), {
      ok: true,
      value: withdrawal,
    });
  }
  const funding = { amountHalalas: 1n };
  assertEquals(fundingRequestFromJson(parseJson(fundingRequestToJson(funding))), {
    ok: true,
    value: funding,
  });
});

test("the token request is form-encoded", () => {
  assertEquals(
    tokenRequestToForm({ clientId: "demo", clientSecret: "" }),
    "grant_type=client_credentials&client_id=demo",
  );
  const form = tokenRequestToForm({ clientId: "demo", clientSecret: "a b&c=+\u00e9%" });
  assertEquals([...new URLSearchParams(form)], [
    ["grant_type", "client_credentials"],
    ["client_id", "demo"],
    ["client_secret", "a b&c=+\u00e9%"],
  ]);
});
