import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readEntry } from "./ledger_entries.ts";

test("an entry names its source as the partner knows it", () => {
  const sourceId = "0198c5b2-5a3e-7c41-9f10-2a6b8d7e0f31";
  const cases = [
    ["order", "order", `ord_${sourceId}`],
    ["funding", "funding", `fund_${sourceId}`],
    ["withdrawal", "withdrawal", `wd_${sourceId}`],
    ["withdrawal_payout", "withdrawal", `wd_${sourceId}`],
    ["withdrawal_return", "withdrawal", `wd_${sourceId}`],
    ["allocation", "allocation", sourceId],
    ["release", "allocation", sourceId],
  ] as const;
  for (const [kind, sourceKind, id] of cases) {
    const row = {
      partnerId: 1,
      number: 7n,
      amount: 500n,
      postedAt: 1_800_000_000_123,
      sourceId,
      asset: "SAR",
      debitAccount: "bank",
      creditAccount: "cash",
      sourceKind: kind,
    } as const;
    assertEquals(readEntry(row), {
      number: 7,
      asset: "SAR",
      debitAccount: "bank",
      creditAccount: "cash",
      amount: 500n,
      sourceKind,
      sourceId: id,
      postedAtMs: 1_800_000_000_123,
    }, kind);
  }
});
