import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ERROR_CODES, isErrorCode, TITLE_OF } from "./mod.ts";

// The statuses, titles and `retryable` of docs/vectors/refusals.json are generated from the table.

test("each code is named once, in snake_case", () => {
  assertEquals(new Set(ERROR_CODES).size, ERROR_CODES.length);
  for (const code of ERROR_CODES) assertMatch(code, /^[a-z]+(_[a-z]+)*$/);
});

test("every code has a different title, a sentence without a full stop", () => {
  assertEquals(new Set(Object.values(TITLE_OF)).size, ERROR_CODES.length);
  for (const code of ERROR_CODES) assertMatch(TITLE_OF[code], /^[A-Z].*[^.]$/);
});

test("isErrorCode() accepts exactly the listed codes", () => {
  assert(isErrorCode("nonce_reused"));
  assert(!isErrorCode("toString"));
  assert(!isErrorCode("Nonce_reused"));
});
