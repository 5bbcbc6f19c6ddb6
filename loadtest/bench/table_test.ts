import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { table } from "./table.ts";

test("table() lines up names to the left and figures to the right", () => {
  const ratios = [
    { name: "a ÷ b", median: 12.5, min: 9, max: 100.4, goal: 6, met: true },
    { name: "long name", median: 0.5, min: 0.4, max: 0.6, goal: 0.95, met: false },
  ];
  assertEquals(
    table(ratios),
    [
      "           median   min   max  goal",
      "a ÷ b        12.5  9.00   100  6.00     met",
      "long name    0.50  0.40  0.60  0.95  MISSED",
      "",
    ].join("\n"),
  );
});
