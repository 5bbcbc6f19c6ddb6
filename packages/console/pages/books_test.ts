import { after, before, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { keepRecountResult, RECOUNT_CHECKS } from "@sabika/service/ledger";
import { openTestConsole, type TestConsole } from "../../../test/support/test_console.ts";

let site: TestConsole;
before(async () => {
  site = await openTestConsole();
});
after(() => site.close());

test("the books show who recounted them last, each check, and what did not agree", async () => {
  const { sql } = site.admin.testDatabase.database;
  const checks = (page: string) =>
    ["good", "bad"].map((mood) =>
      page.split('<ul class="checks">')[1]?.split("</ul>")[0]?.split(`class="state ${mood}"`)
        .length
    );
  const result = { clientId: null, sinceMs: null, durationMs: 1_540, partners: 2 };
  await keepRecountResult(sql, { ...result, who: "badr", differences: [] });
  const fine = await site.read("/en/books");
  assertStringIncludes(fine, "All agrees");
  assertStringIncludes(fine, "badr");
  assertEquals(checks(fine), [RECOUNT_CHECKS.length + 1, 1]);
  await keepRecountResult(sql, {
    ...{ ...result, who: "amal" },
    differences: [
      {
        ...{ clientId: "harbour-bank", check: "balance", subject: "cash" },
        ...{ expected: 123_456_700n, actual: 0n },
      },
      {
        ...{ clientId: null, check: "vault", subject: "bars" },
        ...{ expected: 1_000_000n, actual: 2_000_000n },
      },
    ],
  });
  const wrong = await site.read("/ar/books");
  for (const text of ["amal", "badr", "الفروق: 2", "1,234,567.00 SAR", "2 g", "harbour-bank"]) {
    assertStringIncludes(wrong, text);
  }
  assertEquals(checks(wrong), [RECOUNT_CHECKS.length - 1, 3]);
});

test("the books show the balances of each cell, and which cannot be asked", async () => {
  const { sql } = site.admin.testDatabase.database;
  assert(!(await site.read("/en/books")).includes("Cell main"));
  await sql`insert into cells (cell_id) values ('b')`;
  for (
    const [language, ...texts] of [
      ["en", "Cell main", "Cell b", "This cell cannot be asked now."],
      ["ar", "الخلية main", "الخلية b", "لا يمكن سؤال هذه الخلية الآن."],
    ]
  ) {
    const page = await site.read(`/${language}/books`);
    for (const text of texts) assertStringIncludes(page, text);
  }
});
