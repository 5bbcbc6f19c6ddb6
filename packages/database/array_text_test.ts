import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { plainArray, textArray } from "./array_text.ts";

const { database, close } = await openTestDatabase();
after(close);

test("textArray() carries every visible ASCII character, null and the empty text", async () => {
  const visible = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join("");
  const values = [visible, "", null, "NULL", "سبيكة", 'a"b\\c,{d}', " "];
  const rows = await database.sql<{ v: string | null }[]>`
    select v from unnest(${textArray(values)}::text[]) with ordinality as u (v, n) order by n`;
  assertEquals(rows.map((row) => row.v), values);
  const [sum] = await database.sql<{ total: bigint }[]>`
    select sum(v)::bigint as total from unnest(${
    plainArray([1n, 2, 9_007_199_254_740_993n])
  }::bigint[]) v`;
  assertEquals(sum?.total, 9_007_199_254_740_996n);
});
