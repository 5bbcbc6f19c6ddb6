import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { mutateSql } from "./mutate_sql.ts";
import { readSqlBodies, readSqlTokens } from "./sql_tokens.ts";
import { withChange } from "./mutant.ts";

/** Returns a statement's mutants. */
const mutantsOf = (sql: string) => mutateSql("a.sql", sql).map((change) => withChange(sql, change));

/** Each statement and what it becomes. */
const CASES: [sql: string, mutants: string[]][] = [
  ["SELECT a < b, c >= d", ["SELECT a <= b, c >= d", "SELECT a < b, c > d"]],
  ["SELECT a = b, c <> d", ["SELECT a <> b, c <> d", "SELECT a = b, c = d"]],
  ["SELECT a + b, -c, f(*)", ["SELECT a - b, -c, f(*)"]],
  ["SELECT greatest(a, b)", ["SELECT least(a, b)"]],
  ["SELECT a LIMIT 5", ["SELECT a LIMIT 6", "SELECT a LIMIT 4"]],
  ["SELECT a[1..2]", ["SELECT a[2..2]", "SELECT a[0..2]", "SELECT a[1..3]", "SELECT a[1..1]"]],
  ["SELECT x - 0", ["SELECT x + 0", "SELECT x - 1", "SELECT x -  -1"]],
  ["SELECT a ORDER BY b, c DESC LIMIT n", [
    "SELECT a ORDER BY b DESC, c DESC LIMIT n",
    "SELECT a ORDER BY b, c ASC LIMIT n",
  ]],
  ["SELECT max(a) FROM b LEFT JOIN c USING (d)", [
    "SELECT min(a) FROM b LEFT JOIN c USING (d)",
    "SELECT max(a) FROM b JOIN c USING (d)",
  ]],
  ["SELECT a WHERE b AND c OR d FOR UPDATE SKIP LOCKED", [
    "SELECT a WHERE c OR d FOR UPDATE SKIP LOCKED",
    "SELECT a WHERE b OR d FOR UPDATE SKIP LOCKED",
    "SELECT a WHERE b AND c FOR UPDATE SKIP LOCKED",
    "SELECT a WHERE b AND c OR d ",
  ]],
  ["SELECT a WHERE b BETWEEN c AND d", ["SELECT a WHERE true"]],
  ["SELECT a WHERE b IS NULL AND (c OR d)", [
    "SELECT a WHERE (c OR d)",
    "SELECT a WHERE b IS NOT NULL AND (c OR d)",
    "SELECT a WHERE b IS NULL",
    "SELECT a WHERE b IS NULL AND (d)",
    "SELECT a WHERE b IS NULL AND (c )",
  ]],
  ["IF NOT FOUND THEN RAISE EXCEPTION 'no; such'; END IF;", [
    "",
    "IF  FOUND THEN RAISE EXCEPTION 'no; such'; END IF;",
  ]],
  ["IF v THEN PERFORM 1 FROM a; END IF;", ["IF NOT v THEN PERFORM 1 FROM a; END IF;"]],
  ["CASE a WHEN b THEN c WHEN d THEN e END", []],
  ["CASE WHEN a THEN b WHEN c THEN d END", [
    "CASE WHEN NOT a THEN b WHEN c THEN d END",
    "CASE WHEN a THEN b WHEN NOT c THEN d END",
  ]],
  ["SELECT '1 < 2', E'\\'1', $a$ 1 < 2 $a$, \"1 < 2\" -- 1 < 2\n/* 1 /* 2 */ < 3 */", []],
];

test("mutateSql() changes comparisons, bounds, conditions, joins, order, constants, locks and guards", () => {
  for (const [sql, mutants] of CASES) {
    assertEquals(mutantsOf(sql).map(tidy).sort(), mutants.map(tidy).sort(), sql);
  }
});

test("a change of a statement that only locks is judged as the lock's", () => {
  const kinds = (sql: string) => mutateSql("a.sql", sql).map(({ kind }) => kind);
  const lock = "PERFORM 1 FROM a WHERE b = c ORDER BY d FOR NO KEY UPDATE;";
  assertEquals(new Set(kinds(lock)), new Set(["lock"]));
  assertEquals(kinds(`SELECT a < b; ${lock} SELECT a < b;`).filter((kind) => kind !== "lock"), [
    "comparison",
    "comparison",
  ]);
  assertEquals(kinds("PERFORM f(a < b); SELECT a FOR UPDATE;"), ["comparison", "lock"]);
});

/** What is left out leaves a blank. */
function tidy(sql: string): string {
  return sql.replace(/ (?=[) ]|$)/g, "");
}

const FUNCTION = `-- Takes 1.
CREATE FUNCTION "pay" (p integer DEFAULT 1) RETURNS boolean LANGUAGE sql AS $body$
  SELECT p = ANY (ARRAY['$$', $$ 1 $$]) -- 1
$body$;`;

test("mutateSql() changes what is in a function's body, not its head", () => {
  assertEquals(mutantsOf(FUNCTION), [FUNCTION.replace("p = ANY", "p <> ANY")]);
  const [mutant] = mutateSql("a.sql", FUNCTION);
  assert(mutant !== undefined);
  assertEquals([mutant.line, mutant.before, mutant.after], [
    3,
    "SELECT p = ANY (ARRAY['$$', $$ 1 $$]) -- 1",
    "SELECT p <> ANY (ARRAY['$$', $$ 1 $$]) -- 1",
  ]);
});

test("equal changes of equal lines are numbered, so that each has an identity", () => {
  const mutants = mutateSql("a.sql", "SELECT a\nWHERE b\nUNION SELECT c\nWHERE b");
  assertEquals(mutants.map(({ line, after, nth }) => [line, after, nth]), [
    [2, "WHERE true", 1],
    [4, "WHERE true", 2],
  ]);
});

test("readSqlTokens() refuses a text or comment without an end", () => {
  for (const sql of ["SELECT 'a", "SELECT $$ a", "/* a /* b */"]) {
    assertThrows(() => readSqlTokens(sql), SyntaxError, "no end");
  }
  assertEquals(readSqlBodies("CREATE TABLE a (b integer)").length, 1);
});
