import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  type FieldErrorCode,
  fundingRequestFromJson,
  fundingRequestToJson,
  orderRequestFromJson,
  orderRequestToJson,
  parseJson,
  quoteRequestFromJson,
  quoteRequestToJson,
  tokenRequestToForm,
  withdrawalRequestFromJson,
  withdrawalRequestToJson,
} from "./mod.ts";

const FORMS = {
  quote: quoteRequestFromJson,
  order: orderRequestFromJson,
  funding: fundingRequestFromJson,
  withdrawal: withdrawalRequestFromJson,
};

const [buy, order] = [{ side: "buy" }, { quoteId: "qt_1", clientReference: null }];
const ACCEPTED: readonly (readonly [keyof typeof FORMS, string, object])[] = [
  ["quote", '{"side":"buy","gold_grams":1.5}', { ...buy, goldMicrograms: 1_500_000n }],
  ["quote", '{"gold_grams":0.0001,"side":"sell"}', { side: "sell", goldMicrograms: 100n }],
  ["quote", '{"side":"buy","gold_grams":2.00}', { ...buy, goldMicrograms: 2_000_000n }],
  ["quote", '{"side":"buy","amount_sar":500}', { ...buy, amountHalalas: 50_000n }],
  ["order", '{"quote_id":"qt_1"}', order],
  ["order", '{"quote_id":"qt_1","client_reference":null}', order],
  ["order", '{"quote_id":"qt_1","client_reference":"a \u{1f947}"}', {
    ...order,
    clientReference: "a \u{1f947}",
  }],
  ["withdrawal", '{"amount_sar":100}', { amountHalalas: 10_000n, clientReference: null }],
  ["withdrawal", '{"amount_sar":100,"client_reference":"r"}', {
    amountHalalas: 10_000n,
    clientReference: "r",
  }],
];
for (const [form, text, value] of ACCEPTED) {
  test(`a ${form} is read: ${text}`, () => {
    assertEquals(FORMS[form](parseJson(text)) as object, { ok: true, value });
  });
}

/** A form, a body, and what is wrong with it, pointer by pointer. */
const REFUSED = String.raw`
  quote {} /gold_grams required /side required
  quote {"side":"buy","gold_grams":1,"amount_sar":500} /amount_sar not_allowed
  quote {"side":"buy","gold_grams":null,"amount_sar":500} /amount_sar not_allowed /gold_grams wrong_type
  quote {"side":"buy","amount_sar":0.001} /amount_sar too_precise
  quote {"side":"hold","gold_grams":1} /side not_allowed
  quote {"side":"Buy","gold_grams":1} /side not_allowed
  quote {"side":null,"gold_grams":null} /side wrong_type /gold_grams wrong_type
  quote {"side":"buy","gold_grams":1,"grams":1} /grams unknown_member
  quote {"side":"buy","gold_grams":1,"a/b~c":1} /a~1b~0c unknown_member
  quote {"side":"buy","gold_grams":1,"__proto__":1} /__proto__ unknown_member
  order {"quote_id":1} /quote_id wrong_type
  order {"quote_id":"q","client_reference":""} /client_reference wrong_form
  order {"quote_id":"q","client_reference":"\u0000"} /client_reference wrong_form
  order {"quote_id":"q","client_reference":7} /client_reference wrong_type
  order {"quote_id":"q","client_reference":"${"r".repeat(65)}"} /client_reference too_long
  funding {"amount_sar":1,"client_reference":"r"} /client_reference unknown_member
  withdrawal {"amount_sar":1,"iban":"SA0"} /iban unknown_member`.trim().split("\n");
for (const line of REFUSED) {
  const [form, text, ...errors] = line.trim().split(" ");
  test(`a ${form} is refused for ${errors.join(" ")}: ${text!.slice(0, 60)}`, () => {
    const parsed = FORMS[form as keyof typeof FORMS](parseJson(text!));
    assert(!parsed.ok);
    assertEquals(parsed.errors.flatMap(({ pointer, code }) => [pointer, code]), errors);
  });
}
for (const text of ["[]", "null", '"buy"']) {
  test(`${text} is no request`, () => {
    const parsed = quoteRequestFromJson(parseJson(text));
    assert(!parsed.ok);
    assertEquals(parsed.errors.map(({ pointer, code }) => [pointer, code]), [["", "wrong_type"]]);
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

test("a message never quotes the request", () => {
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

test("written requests are read back unchanged", () => {
  const quote = { side: "sell", goldMicrograms: 123_400n } as const;
  const byMoney = { side: "buy", amountHalalas: 50_050n } as const;
  assertEquals(quoteRequestToJson(quote), '{"side":"sell","gold_grams":0.1234}');
  assertEquals(quoteRequestToJson(byMoney), '{"side":"buy","amount_sar":500.5}');
  const assertReadBack = (form: keyof typeof FORMS, json: string, value: object) =>
    assertEquals(FORMS[form](parseJson(json)) as object, { ok: true, value });
  for (const value of [quote, byMoney]) assertReadBack("quote", quoteRequestToJson(value), value);
  for (const clientReference of [null, 'a"b\\']) {
    const order = { quoteId: "qt_1", clientReference };
    const withdrawal = { amountHalalas: 12_050n, clientReference };
    assertReadBack("order", orderRequestToJson(order), order);
    assertReadBack("withdrawal", withdrawalRequestToJson(withdrawal), withdrawal);
  }
  assertReadBack("funding", fundingRequestToJson({ amountHalalas: 1n }), { amountHalalas: 1n });
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
