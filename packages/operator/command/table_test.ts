import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { table } from "./table.ts";

test("a table has more rows than a call may have arguments, such as a recount's differences", () => {
  const rows = Array.from({ length: 200_000 }, (_, n) => [`check-${n}`, n] as const);
  const lines = table(["CHECK", "N"], rows).split("\n");
  assertEquals([lines[0], lines[200_000]], ["CHECK              N", "check-199999  199999"]);
});
