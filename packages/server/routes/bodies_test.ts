import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type RawRequest, sendRaw } from "../../../test/support/raw_https.ts";
import { codeOf, objectOf } from "../../../test/support/answers.ts";
import { write } from "../../../test/support/service_requests.ts";
import { countRows, startTestService } from "../../../test/support/test_service.ts";

// Bodies of faults F65 to F67, each kind once on real requests. Which JSON and which numbers are
// accepted is tested in packages/protocol.

const service = await startTestService();
after(service.close);
const [bank] = service.partners;
const token = await service.token(bank);
const send = (request: RawRequest) => sendRaw(service.caller(bank), request);
const quote = (body: string | Uint8Array) => send(write("/v1/quotes", token, body));
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

test("a body that is not one valid JSON object is refused, and leaves no row (F65, F66, F67)", async () => {
  const before = await countRows(service);
  const cases = [
    ["", "malformed_json"],
    ["\ufeff" + '{"side":"buy","gold_grams":1}', "malformed_json"],
    [latin1('{"side":"b\xffy","gold_grams":1}'), "malformed_json"],
    ['{"side":"\\ud800","gold_grams":1}', "malformed_json"],
    ["[".repeat(10_000) + "]".repeat(10_000), "malformed_json"],
    ['{"side":"buy","s\\u0069de":"sell","gold_grams":1}', "malformed_json"], // F66
    ["[]", "invalid_request"],
    ['{"side":"buy","gold_grams":1,"__proto__":{"side":"sell"}}', "invalid_request"],
    [`{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":1`).join(",")}}`, "invalid_request"],
    ['{"side":"buy","gold_grams":.5}', "malformed_json"], // F67
    ['{"side":"buy","gold_grams":1e400}', "invalid_request"],
    ['{"side":"buy","gold_grams":0.30000000000000004}', "invalid_request"],
  ] as const;
  for (const [body, code] of cases) {
    assertEquals(codeOf(await quote(body)), code, String(body).slice(0, 60));
  }
  assertEquals(await countRows(service), before);
});

test("the content type is JSON in UTF-8, and nothing is decompressed (F65)", async () => {
  const body = '{"side":"buy","gold_grams":1}';
  const codeOfHeader = async (name: string, value: string) =>
    codeOf(await send(write("/v1/quotes", token, body, { [name]: value })));
  for (const type of ["application/json;charset=UTF-8", "Application/JSON"]) {
    assertEquals(await codeOfHeader("Content-Type", type), "ok", type);
  }
  const types = [
    "application/jsonp",
    "application/json; charset=latin1",
    "application/json, text/plain",
    "",
  ];
  for (const type of types) {
    assertEquals(await codeOfHeader("Content-Type", type), "unsupported_media_type", type);
  }
  assertEquals(await codeOfHeader("Content-Encoding", "br"), "unsupported_media_type");
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
