import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { refusalOfError } from "./database_errors.ts";

const withCode = (code: string) => Object.assign(new Error("x"), { code });

test("refusalOfError() distinguishes what was not carried out from what may have been", () => {
  for (const code of ["ECONNREFUSED", "CONNECT_TIMEOUT", "25006", "40P01", "53100", "57P03"]) {
    const refusal = refusalOfError(withCode(code));
    assertEquals([refusal.code, refusal.retryAfterSeconds], ["service_unavailable", 1], code);
  }
  for (const code of ["CONNECTION_CLOSED", "57P01", "ECONNRESET"]) {
    assertEquals(refusalOfError(withCode(code)).code, "outcome_unknown", code);
  }
});

test("refusalOfError() classifies by the cause; anything else is an internal error", () => {
  assertEquals(
    refusalOfError(new Error("query failed", { cause: withCode("53300") })).code,
    "service_unavailable",
  );
  for (const error of [new Error("x"), withCode("42P01"), "text", undefined]) {
    assertEquals(refusalOfError(error).code, "internal_error");
  }
});
