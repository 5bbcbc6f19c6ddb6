import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openKeptResults } from "./kept_results.ts";
import { nameMutant } from "./mutant.ts";
import { mutateSql } from "./mutate_sql.ts";
import { findStaleReasons, readReasons } from "./reasons.ts";
import { reportLines } from "./report.ts";

const SQL = "SELECT a < b WHERE c";
const [first, second] = mutateSql("a.sql", SQL) as [never, never];

test("results are kept until their source, or a test that matters to them, changes", () => {
  const root = temporaryFolder();
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const open = () => openKeptResults("a.sql", ["x_test.ts", "y_test.ts"], root, root);
  const known = () => [first, second].map((mutant) => open().find(mutant)?.outcome);
  write("a.sql", SQL);
  write("x_test.ts", "x");
  write("y_test.ts", "y");
  open().keep(first, { outcome: "found", file: "x_test.ts", test: "it holds" });
  open().keep(second, { outcome: "lives" });
  assertEquals(known(), ["found", "lives"]);
  write("y_test.ts", "another y");
  assertEquals(known(), ["found", undefined]);
  write("x_test.ts", "another x");
  assertEquals(known(), [undefined, undefined]);
  write("x_test.ts", "x");
  write("a.sql", `${SQL} `);
  assertEquals(known(), [undefined, undefined]);
});

test("a survivor with a reason does not count, and a reason without its survivor is stale", () => {
  const reasons = readReasons(JSON.stringify([
    { file: "a.sql", before: SQL, after: "SELECT a <= b WHERE c", reason: "a is never b" },
    { file: "a.sql", before: "SELECT d", after: "SELECT e", reason: "gone" },
    { file: "b.sql", before: "SELECT d", after: "SELECT e", reason: "not mutated here" },
  ]));
  const stale = findStaleReasons(reasons, new Set(["a.sql"]), [first, second]);
  assertEquals(stale.map(({ reason }) => reason), ["gone"]);
  const lives = { outcome: "lives" } as const;
  const results = [first, second].map((mutant) => ({ room: "a", mutant, judgement: lives }));
  assertEquals(reportLines(results, reasons, []), [
    "",
    `a.sql:1 condition (${nameMutant(second)})`,
    `  - ${SQL}`,
    "  + SELECT a < b WHERE true",
    "",
    "0 found, 1 live (0.0 % found), 1 live for a reason",
  ]);
});
