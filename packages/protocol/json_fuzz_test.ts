import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuzz } from "../../test/support/fuzz/fuzz.ts";
import { decodeUtf8 } from "./bytes.ts";
import type { JsonValue } from "./json.ts";
import { JsonSyntaxError, parseJson } from "./parse_json.ts";
import { plainJson } from "./plain_json.ts";
import type { RequestForm } from "./request_form.ts";
import { FUNDING_REQUEST } from "./resources/funding.ts";
import { ORDER_REQUEST } from "./resources/order.ts";
import { QUOTE_REQUEST } from "./resources/quote.ts";
import { CANCEL_REQUEST, WITHDRAWAL_REQUEST } from "./resources/withdrawal.ts";

const BODIES = [
  `{"quote_id":"qt_01a1fcde-0f7a-75b5-b740-16b3d8089a5d","client_reference":"r-1"}`,
  `{"side":"buy","gold_grams":1.5}`,
  `{"side":"sell","amount_sar":500.25}`,
  `{"amount_sar":1000,"client_reference":null}`,
  `{}`,
];
const WORDS = [
  ...'{ } [ ] : , " \\ \\u0000 \\ud800 \\udc00 null true false'.split(" "),
  ...`0 -0 1e400 1E-7 0.00001 ${"9".repeat(30)} -1 01 .5 NaN`.split(" "),
  ...'"amount_sar": "gold_grams": "side":"buy" "__proto__": "constructor": /* \''.split(" "),
  " ",
  "\t",
  "\ufeff",
];

test(
  "fuzz: a JSON text is read correctly or refused",
  fuzz({
    samples: [...BODIES, `[1,[2,{"a":"\\u00e9\\n"}],-0.5e+3]`, "[".repeat(32) + "]".repeat(32)],
    words: [...WORDS, Uint8Array.of(0xed, 0xa0, 0x80), Uint8Array.of(0xc0, 0xaf), "[".repeat(40)],
    judge(input) {
      const text = decodeUtf8(input);
      if (text === undefined) return "not UTF-8";
      let value: JsonValue;
      try {
        value = parseJson(text);
      } catch (error) {
        assert(error instanceof JsonSyntaxError, `${error}`);
        assert(
          error.position >= 0 && error.position <= text.length,
          "a position outside of the text",
        );
        return error.message.replace(/ at position [0-9]+$/, "");
      }
      // JSON.parse reads every accepted text alike, so no other reader sees another request.
      assertEquals(plainJson(value), JSON.parse(text));
      return "accepted";
    },
  }),
);

const FORMS: readonly RequestForm<never>[] = [
  ORDER_REQUEST,
  QUOTE_REQUEST,
  WITHDRAWAL_REQUEST,
  CANCEL_REQUEST,
  FUNDING_REQUEST,
] as never[];

test(
  "fuzz: the body of a request is read correctly or refused",
  fuzz({
    samples: BODIES,
    words: WORDS,
    judge(input) {
      const text = decodeUtf8(input);
      let value: JsonValue;
      try {
        value = parseJson(text ?? "");
      } catch {
        return "malformed";
      }
      const verdicts = FORMS.map((form) => judgeForm(form, value));
      return verdicts.includes("accepted") ? "accepted" : [...new Set(verdicts)].sort().join(" ");
    },
  }),
);

function judgeForm(form: RequestForm<never>, value: JsonValue): string {
  const parsed = form.parse(value);
  if (!parsed.ok) {
    assert(parsed.errors.length > 0, "refused without a reason");
    for (const { pointer } of parsed.errors) assert(pointer === "" || pointer.startsWith("/"));
    return parsed.errors[0]!.code;
  }
  // An amount has at most 15 digits of grams, which are micrograms here.
  for (const amount of Object.values(parsed.value)) {
    if (typeof amount === "bigint") assert(amount > 0n && amount < 10n ** 21n, `${amount}`);
  }
  // The value is the same after it is written and read again.
  assertEquals(form.parse(parseJson(form.write(parsed.value))), parsed);
  return "accepted";
}
