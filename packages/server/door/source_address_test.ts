import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { sourceAddress } from "./source_address.ts";

test("a partner that registered addresses calls from those alone, another from anywhere", () => {
  const codeOf = (...addresses: string[]) => {
    const call = { ok: true, partner: { addresses }, peer: { address: "203.0.113.7" } };
    const checked = sourceAddress(call as unknown as Parameters<typeof sourceAddress>[0]);
    return checked.ok ? "ok" : checked.code;
  };
  assertEquals(codeOf(), "ok");
  assertEquals(codeOf("198.51.100.1/32", "203.0.113.0/24"), "ok");
  assertEquals(codeOf("198.51.100.1/32"), "ip_not_allowed");
});
