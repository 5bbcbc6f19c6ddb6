import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  decimal,
  ERROR_CODES,
  formatHalalas,
  parseJson,
  problemFromJson,
  problemJson,
  refuse,
  RETRYABLE,
  STATUS_OF,
  TITLE_OF,
} from "./mod.ts";
import { each } from "../../test/support/each.ts";

const OCCURRENCE = { instance: "/v1/orders", requestId: "req_1" };

test("a problem has the members of Decision D31, in their order", () => {
  const refusal = refuse("insufficient_funds", {
    detail: "621.05 SAR are needed.",
    meta: {
      asset: "SAR",
      available: decimal(formatHalalas(10_000n)),
      needed: decimal(formatHalalas(62_105n)),
    },
  });
  assertEquals(
    problemJson(refusal, OCCURRENCE),
    '{"type":"urn:sabika:error:insufficient_funds",' +
      '"title":"There is not enough money in the account","status":422,' +
      '"detail":"621.05 SAR are needed.","instance":"/v1/orders","code":"insufficient_funds",' +
      '"request_id":"req_1","retryable":false,' +
      '"meta":{"asset":"SAR","available":100,"needed":621.05}}',
  );
});

for (const code of ERROR_CODES) {
  test(`a problem of ${code} is read as it was written`, () => {
    const problem = problemFromJson(parseJson(problemJson(refuse(code), OCCURRENCE)));
    assertEquals(problem, {
      type: `urn:sabika:error:${code}`,
      title: TITLE_OF[code],
      status: STATUS_OF[code],
      detail: `${TITLE_OF[code]}.`,
      instance: "/v1/orders",
      code,
      requestId: "req_1",
      retryable: RETRYABLE[code],
      errors: [],
      meta: {},
    });
  });
}

test("errors, meta and diagnosis are read as they were written", () => {
  const error = { pointer: "/a", code: "too_long", message: "m" } as const;
  const diagnosis = { form: "url_path", message: "m", canonicalString: "POST\n/" } as const;
  const meta = { text: 'a"b', number: -3, yes: true, nothing: null };
  const refusal = refuse("invalid_request", { errors: [error], diagnosis, meta });
  const json = problemJson(refusal, OCCURRENCE);
  assertEquals(JSON.parse(json).errors, [error]);
  assertEquals(JSON.parse(json).diagnosis.canonical_string, "POST\n/");
  const problem = problemFromJson(parseJson(json));
  assertEquals([problem?.errors, problem?.diagnosis, problem?.meta], [[error], diagnosis, meta]);
});

test("text from outside is escaped", () => {
  const detail = '"\u0000\n';
  const occurrence = { instance: '/"},{', requestId: "\\" };
  const problem = JSON.parse(problemJson(refuse("not_found", { detail }), occurrence));
  assertEquals(problem.detail, detail);
  assertEquals({ instance: problem.instance, requestId: problem.request_id }, occurrence);
});

test("outcome_unknown keeps the status of the sidecar", () => {
  const json = problemJson(refuse("outcome_unknown"), { ...OCCURRENCE, status: 502 });
  assertEquals(JSON.parse(json).status, 502);
});

test("a problem lists at most 20 errors", () => {
  const error = { pointer: "/x", code: "unknown_member", message: "no" } as const;
  const errors = Array.from({ length: 10_000 }, () => error);
  const json = problemJson(refuse("invalid_request", { errors }), OCCURRENCE);
  assertEquals(JSON.parse(json).errors.length, 20);
});

test("a problem of a newer service, and one with only status and code, are read", () => {
  const newer = problemFromJson(parseJson('{"status":418,"code":"teapot","retryable":true}'));
  assertEquals([newer?.code, newer?.status, newer?.retryable], ["teapot", 418, true]);
  const bare = problemFromJson(parseJson('{"status":503,"code":"service_unavailable"}'));
  assertEquals([bare?.retryable, bare?.requestId, bare?.type], [true, "", "about:blank"]);
});

test("JSON that is not a problem is read as undefined", () => {
  for (const text of each(`null [] "x" {"code":"x"} {"status":500} {"code":1,"status":1}`)) {
    assertEquals(problemFromJson(parseJson(text)), undefined);
  }
});

test("refuse() returns the members of its details, or a text as its detail", () => {
  assertEquals(refuse("not_found"), { ok: false, code: "not_found" });
  assertEquals(refuse("not_found", "none"), { ok: false, code: "not_found", detail: "none" });
  assert(!("detail" in refuse("not_found", {})));
});
