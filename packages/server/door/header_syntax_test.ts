import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  idempotencyKey,
  jsonContentType,
  noContentEncoding,
  singleHeaders,
} from "./header_syntax.ts";

type Call = Parameters<typeof singleHeaders>[0] & Parameters<typeof jsonContentType>[0];

/** A call with the headers of these lines; of a name that comes twice, the first value is kept. */
function callWith(...lines: (readonly [name: string, value: string])[]): Call {
  const headers = Object.fromEntries(
    [...lines].reverse().map(([name, value]) => [name.toLowerCase(), value]),
  );
  const incoming = { headers, rawHeaders: lines.flat() };
  return { ok: true, incoming, header: (name: string) => headers[name] } as unknown as Call;
}

test("a header comes twice only if it is a list, and the refusal repeats no invented name", () => {
  const twice = (first: string, second = first) => {
    const checked = singleHeaders(callWith([first, "a"], ["Host", "x"], [second, "b"]));
    return checked.ok ? "ok" : { code: checked.code, meta: checked.meta };
  };
  const refused = (meta?: object) =>
    ({ code: "duplicate_header", meta }) as ReturnType<typeof twice>;
  assertEquals(twice("Accept"), "ok");
  assertEquals(twice("X-Nonce"), refused({ header: "x-nonce" }));
  assertEquals(twice("X-Nonce", "x-nONCE"), refused({ header: "x-nonce" }));
  assertEquals(twice("X-Invented"), refused());
  assertEquals(twice("X-Invented", "X-Other"), "ok");
});

test("a body is not compressed, is declared to be JSON, and has a key of visible characters", () => {
  const codeOf = (check: typeof jsonContentType, name: string, value?: string) => {
    const checked = check(value === undefined ? callWith() : callWith([name, value]));
    return checked.ok ? "ok" : checked.code;
  };
  const cases = [
    [noContentEncoding, "content-encoding", "unsupported_media_type", [undefined, "identity"], [
      "gzip",
    ]],
    [jsonContentType, "content-type", "unsupported_media_type", ["application/json"], [
      undefined,
      "text/plain",
    ]],
    [idempotencyKey, "idempotency-key", "idempotency_key_invalid", ["k"], ["a b"]],
    [idempotencyKey, "idempotency-key", "idempotency_key_missing", [], [undefined]],
  ] as const;
  for (const [check, name, code, right, wrong] of cases) {
    const checkOf = check as unknown as typeof jsonContentType;
    for (const value of right) assertEquals(codeOf(checkOf, name, value), "ok", name);
    for (const value of wrong) assertEquals(codeOf(checkOf, name, value), code, name);
  }
});
