import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import { signed, write } from "../../../test/support/service_requests.ts";
import { countRows, startTestService } from "../../../test/support/test_service.ts";

// Bodies of faults F65 to F67, on real requests.

const service = await startTestService();
after(service.close);
const [bank] = service.partners;
const token = await service.token(bank);
const send = async (request: RawRequest | Promise<RawRequest>) =>
  await sendRaw(service.caller(bank), await request);
const quote = (body: string | Uint8Array) => send(write("/v1/quotes", token, body));
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

test("a body that is not one well-formed JSON object in UTF-8 is refused (F65)", async () => {
  const before = await countRows(service);
  const malformed: (string | Uint8Array)[] = [
    "",
    " ",
    "{",
    '{"side":"buy","gold_grams":1}x',
    '{"side":"buy","gold_grams":1}{}',
    "{'side':'buy'}",
    '{"side":"buy","gold_grams":1,}',
    '{"side":"buy",/* */"gold_grams":1}',
    "\ufeff" + '{"side":"buy","gold_grams":1}',
    latin1('{"side":"b\xffy","gold_grams":1}'),
    latin1('{"side":"\xc0\xaf","gold_grams":1}'),
    '{"side":"\\ud800","gold_grams":1}',
    '{"side":"buy\u0000","gold_grams":1}',
    "[".repeat(10_000) + "]".repeat(10_000),
    '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000),
  ];
  for (const body of malformed) {
    assertEquals(codeOf(await quote(body)), "malformed_json", String(body).slice(0, 40));
  }
  const invalid = [
    "[]",
    "null",
    '"text"',
    "1",
    "{}",
    '{"side":"buy"}',
    '{"gold_grams":1}',
    '{"side":"buy","gold_grams":1,"x":1}',
    '{"side":"BUY","gold_grams":1}',
    '{"side":"bu\\u0000y","gold_grams":1}',
    '{"side":null,"gold_grams":1}',
    '{"side":"buy","gold_grams":1,"__proto__":{"side":"sell"}}',
    '{"side":"buy","gold_grams":1,"constructor":1}',
    `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":1`).join(",")}}`,
  ];
  for (const body of invalid) {
    assertEquals(codeOf(await quote(body)), "invalid_request", body.slice(0, 40));
  }
  assertEquals(await countRows(service), before);
});

test("64 KiB pass and one byte more does not, even in chunks (F65)", async () => {
  const padded = (length: number) => {
    const body = '{"side":"buy","gold_grams":1}';
    return new TextEncoder().encode(body + " ".repeat(length - body.length));
  };
  assertEquals(codeOf(await quote(padded(65_536))), "ok");
  assertEquals(codeOf(await quote(padded(65_537))), "payload_too_large");
  const chunked = (length: number) =>
    send({ ...write("/v1/quotes", token, padded(length)), chunkBytes: 10_000 });
  assertEquals(codeOf(await chunked(65_536)), "ok");
  assertEquals(codeOf(await chunked(65_537)), "payload_too_large");
});

test("the content type is JSON in UTF-8, and nothing is decompressed (F65)", async () => {
  const as = (headers: Record<string, string>) =>
    send(write("/v1/quotes", token, '{"side":"buy","gold_grams":1}', headers));
  for (
    const type of [
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      "Application/JSON",
    ]
  ) {
    assertEquals(codeOf(await as({ "Content-Type": type })), "ok", type);
  }
  for (
    const type of [
      "text/plain",
      "application/jsonp",
      "application/json; charset=latin1",
      "application/json, text/plain",
      "application/x-www-form-urlencoded",
      "",
    ]
  ) {
    assertEquals(codeOf(await as({ "Content-Type": type })), "unsupported_media_type", type);
  }
  for (const encoding of ["gzip", "br", "deflate, gzip"]) {
    assertEquals(codeOf(await as({ "Content-Encoding": encoding })), "unsupported_media_type");
  }
});

test("a member that is given twice is refused, even with equal values (F66)", async () => {
  for (
    const body of [
      '{"side":"buy","gold_grams":1,"gold_grams":2}',
      '{"side":"buy","gold_grams":1,"gold_grams":1}',
      '{"side":"buy","side":"buy","gold_grams":1}',
      '{"side":"buy","s\\u0069de":"sell","gold_grams":1}',
    ]
  ) assertEquals(codeOf(await quote(body)), "malformed_json", body);
  const order = '{"quote_id":"qt_1","quote_id":"qt_2"}';
  assertEquals(codeOf(await send(signed(bank, "/v1/orders", token, order))), "malformed_json");
});

test("numbers are decimal, exact and well-formed (F67)", async () => {
  const asGold = async (number: string) =>
    codeOf(await quote(`{"side":"buy","gold_grams":${number}}`));
  for (const number of ["1", "1.0", "2.00", "1.2345", "0.01", "0.1", "10000", "10000.0000"]) {
    assertEquals(await asGold(number), "ok", number);
  }
  for (
    const number of [
      "010",
      ".5",
      "5.",
      "+1",
      "NaN",
      "Infinity",
      "-Infinity",
      "0x10",
      "1_000",
      "1e",
      "-",
    ]
  ) {
    assertEquals(await asGold(number), "malformed_json", number);
  }
  for (
    const number of [
      "1e400",
      "1e2",
      "1E-7",
      "1.0000000001",
      "1.00000",
      "-0",
      "-1",
      "0",
      "0.0",
      '"10"',
      "true",
      "null",
      "[1]",
      "12345678901234567890",
      "1000000000000000000000000000000",
      "0.30000000000000004",
    ]
  ) assertEquals(await asGold(number), "invalid_request", number);
  for (
    const [number, code] of [["0.0099", "amount_below_minimum"], [
      "10000.0001",
      "amount_above_maximum",
    ]]
  ) {
    assertEquals(await asGold(number!), code!, number);
  }
});

test("amounts come out exactly as they went in (F67)", async () => {
  let balance = 0n;
  for (
    const [amount, halalas] of [["1.10", 110n], ["2.2", 220n], ["4503599627.37", 0n], [
      "9999999.99",
      999_999_999n,
    ], ["4.35", 435n]] as const
  ) {
    const answer = await send(write("/sandbox/fund", token, `{"amount_sar":${amount}}`));
    if (halalas === 0n) {
      assertEquals(codeOf(answer), "amount_above_maximum");
      continue;
    }
    balance += halalas;
    assert(
      answer.body.includes(`"balance_sar":${Number(balance) / 100},`),
      `${answer.body} ${balance}`,
    );
  }
});

test("errors say where and why, and repeat nothing of what was sent", async () => {
  const body = '{"side":"s3cret-side","gold_grams":"s3cret-grams","s3cret-member":1}';
  const answer = await quote(body);
  const errors = objectOf(answer).get("errors") as readonly ReadonlyMap<string, unknown>[];
  assertEquals(errors.map((error) => error.get("code")), [
    "unknown_member",
    "not_allowed",
    "wrong_type",
  ]);
  for (const error of errors) assertEquals([...error.keys()], ["pointer", "code", "message"]);
  assert(!answer.body.includes("s3cret-side") && !answer.body.includes("s3cret-grams"));
});
