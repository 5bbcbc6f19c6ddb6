import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { type FoundDifference, keepRecountResult, listRecounts } from "./recount_results.ts";

const { database: { sql }, urlAs, close } = await openTestDatabase();
const asOperator = openDatabase(urlAs("sabika_operator"), { maxConnections: 1 });
after(async () => {
  await asOperator.close();
  await close();
});

const FOUND: FoundDifference = {
  clientId: "bank-a",
  check: "balance",
  subject: "cash",
  expected: 9_007_199_254_740_993n,
  actual: -1n,
};
const ALL_WELL = {
  who: "amal",
  clientId: null,
  sinceMs: null,
  durationMs: 12.6,
  partners: 3,
  differences: [],
};

test("recounts are kept with their requester, scope and differences, the latest first", async () => {
  await keepRecountResult(asOperator.sql, ALL_WELL);
  const recount = {
    who: "badr",
    clientId: "bank-a",
    sinceMs: 1_800_000_000_000,
    durationMs: 5,
    partners: 1,
    differences: Array<FoundDifference>(120).fill(FOUND),
  };
  await keepRecountResult(asOperator.sql, recount);
  const kept = await listRecounts(asOperator.sql, 2);
  assertEquals(kept.map(({ finishedAtMs: _, differences: __, ...rest }) => rest), [
    {
      who: "badr",
      clientId: "bank-a",
      sinceMs: 1_800_000_000_000,
      durationMs: 5,
      partners: 1,
      differenceCount: 120,
    },
    { who: "amal", clientId: null, sinceMs: null, durationMs: 13, partners: 3, differenceCount: 0 },
  ]);
  assertEquals(kept[0]?.differences, Array<FoundDifference>(100).fill(FOUND));
});

test("only the last hundred recounts are kept", async () => {
  await sql`insert into recount_results (finished_at, who, duration_ms, partners, difference_count,
      differences)
    select now() - n * interval '1 day', n::text, 1, 1, 0, '[]' from generate_series(1, 150) n`;
  await keepRecountResult(asOperator.sql, ALL_WELL);
  const kept = await listRecounts(sql, 1_000);
  assertEquals([kept.length, kept[0]?.who], [100, "amal"]);
  assertEquals(kept.some(({ who }) => who === "150"), false);
});
