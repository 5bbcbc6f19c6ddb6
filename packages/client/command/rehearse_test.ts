import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { CASES, PLAN } from "./rehearsal/plan.ts";
import { type Report, reportPage } from "./rehearsal/report.ts";

test("docs/rehearsal.md has the program's forty cases, chapter by chapter", async () => {
  const page = await readFile(new URL("../../../docs/rehearsal.md", import.meta.url), "utf8");
  assertEquals(CASES.length, 40);
  const rows = page.split("\n").filter((line) => /^(### |\| \d+ \|)/.test(line));
  const expected = PLAN.flatMap(([chapter]) => [
    `### ${chapter}`,
    ...CASES.filter((rehearsed) => rehearsed.chapter === chapter)
      .map(({ number, title, holds }) => `| ${number} | ${title} | ${holds} |`),
  ]);
  assertEquals(rows, expected);
});

test("the report's page names what fails, and shows no markup of others", () => {
  const [{ run: _, ...first }] = CASES as [(typeof CASES)[number]];
  const report: Report = {
    partner: "demo",
    environment: "sandbox",
    base_url: "https://api.example",
    integration: "java <ours>",
    began_at: "2026-11-20T09:00:00.000Z",
    ended_at: "2026-11-20T09:00:41.000Z",
    cases: [
      { ...first, result: "holds", seen: null, duration_ms: 1 },
      { ...first, number: 2, result: "fails", seen: "price ended with <b>", duration_ms: 1 },
      { ...first, number: 3, result: "not_run", seen: "it is shared", duration_ms: 1 },
    ],
  };
  const page = reportPage(report);
  assertStringIncludes(page, "1 of 3 cases hold, 1 FAILS, 1 not run.");
  assertStringIncludes(page, "<td>FAILS: price ended with &lt;b></td>");
  assertStringIncludes(page, "java &lt;ours> at https://api.example");
  assertStringIncludes(page, "41 seconds");
});
