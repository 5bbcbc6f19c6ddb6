import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { readDenoResults, readNodeResults } from "./read_results.ts";

test("readNodeResults() counts leaves under the names of their suites", () => {
  const line = (name: string, nesting: number, rest = {}) =>
    JSON.stringify({ name, nesting, passed: true, skipped: false, inherited: false, ...rest });
  const results = readNodeResults([
    line("plain", 0),
    line("child", 1),
    line("child fails", 1, { passed: false, error: "boo" }),
    line("parent", 0, { passed: false, inherited: true, error: "1 subtest failed" }),
    line("leaf", 2),
    line("deep", 1),
    line("later", 1, { skipped: true }),
    line("suite", 0),
  ].join("\n"));
  assertEquals(results, [
    { name: "plain", outcome: "passed" },
    { name: "parent > child", outcome: "passed" },
    { name: "parent > child fails", outcome: "failed", error: "boo" },
    { name: "suite > deep > leaf", outcome: "passed" },
    { name: "suite > later", outcome: "skipped" },
  ]);
});

test("readNodeResults() tells of files that ran together which one a test is of", () => {
  const event = { passed: true, skipped: false, inherited: false, file: "/run_together.mjs" };
  const text = [
    { ...event, name: "leaf", nesting: 2 },
    { ...event, name: "suite", nesting: 1 },
    { ...event, name: "#0", nesting: 0 },
    { ...event, name: "#end", nesting: 0 },
    { ...event, name: "alone", nesting: 1 },
    { ...event, name: "#1", nesting: 0, passed: false, error: "its hook failed" },
    { ...event, name: "#2", nesting: 0 },
  ].map((line) => JSON.stringify(line)).join("\n");
  assertEquals(readNodeResults(text, ["a_test.ts", "b_test.ts", "c_test.ts"]), [
    { name: "suite > leaf", file: "a_test.ts", outcome: "passed" },
    { name: "alone", file: "b_test.ts", outcome: "passed" },
    { name: "(the file itself)", file: "b_test.ts", outcome: "failed", error: "its hook failed" },
  ]);
});

test("readNodeResults() reports a parent that failed by itself", () => {
  const parent = { name: "parent", nesting: 0, passed: false, skipped: false, inherited: false };
  const child = { name: "child", nesting: 1, passed: true, skipped: false, inherited: false };
  const text = `${JSON.stringify(child)}\n${JSON.stringify({ ...parent, error: "own" })}\n`;
  assertEquals(readNodeResults(text), [
    { name: "parent > child", outcome: "passed" },
    { name: "parent", outcome: "failed", error: "own" },
  ]);
});

test("readNodeResults() keeps what a test told of itself with its result", () => {
  const line = (name: string, nesting: number) =>
    JSON.stringify({ name, nesting, passed: true, skipped: false, inherited: false });
  const note = (note: string) => JSON.stringify({ note });
  const text = [
    ...[line("leaf", 1), note("13 ms"), note("2 rows"), line("suite", 0)],
    ...[line("plain", 0), line("telling", 0), note("5 ms")],
  ].join("\n");
  assertEquals(readNodeResults(text), [
    { name: "suite > leaf", outcome: "passed", notes: ["13 ms", "2 rows"] },
    { name: "plain", outcome: "passed" },
    { name: "telling", outcome: "passed", notes: ["5 ms"] },
  ]);
});

test("readDenoResults() reads Deno's JUnit report in the same way", () => {
  const results = readDenoResults(`<testsuites>
    <testsuite name="./a_test.ts" tests="3">
      <testcase name="a &lt;b&gt; &amp; c" classname="./a_test.ts" time="0.1"></testcase>
      <testcase name="parent" classname="./a_test.ts" time="0.1">
        <failure message="1 test step failed">1 test step failed.</failure>
      </testcase>
      <testcase name="parent &gt; child" classname="ext:deno_node/testing.ts" time="0.1">
        <failure message="Uncaught Error: boo">Error: boo
    at x</failure>
      </testcase>
    </testsuite>
    <testsuite name="./b_test.ts" tests="2">
      <testcase name="other" classname="./b_test.ts" time="0.1"></testcase>
      <testcase name="later" classname="./b_test.ts" time="0"><skipped/></testcase>
    </testsuite></testsuites>`);
  assertEquals(results, [
    { name: "a <b> & c", file: "./a_test.ts", outcome: "passed" },
    {
      name: "parent > child",
      file: "./a_test.ts",
      outcome: "failed",
      error: "Error: boo\n    at x",
    },
    { name: "other", file: "./b_test.ts", outcome: "passed" },
    { name: "later", file: "./b_test.ts", outcome: "skipped" },
  ]);
});
