import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { unitOf } from "./difference_unit.ts";

test("a difference has the unit of what was compared", () => {
  const cases = [
    ["times", "order", "moment"],
    ["numbers", "gold", "count"],
    ["receipts", "vault", "count"],
    ["reserves", "2026-01-01", "count"],
    ["reserves", "promises of 2026-01-01", "gold"],
    ["reserves", "cash of 2026-01-01", "money"],
    ["closings", "gold before 6", "gold"],
    ["closings", "cash before 6", "money"],
    ["balance", "allocation", "gold"],
    ["balance", "vat", "money"],
    ["sum", "XAU", "gold"],
    ["sum", "SAR", "money"],
  ] as const;
  for (const [check, subject, unit] of cases) {
    assertEquals(unitOf({ check, subject }), unit, `${check} ${subject}`);
  }
});
