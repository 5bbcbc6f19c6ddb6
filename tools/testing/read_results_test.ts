import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { type NodeEvent, readDenoResults, readNodeResults } from "./read_results.ts";

/** The end of a test, as the reporter sends it; nesting 0 is the file. */
const end = (name: string, nesting: number, rest: Partial<NodeEvent> = {}): NodeEvent => ({
  name,
  nesting,
  passed: true,
  skipped: false,
  inherited: false,
  ...rest,
});

test("readNodeResults() counts leaves under the names of their suites", () => {
  const results = readNodeResults([
    end("plain", 1),
    end("child", 2),
    end("child fails", 2, { passed: false, error: "boo" }),
    end("parent", 1, { passed: false, inherited: true, error: "1 subtest failed" }),
    end("leaf", 3),
    end("deep", 2),
    end("later", 2, { skipped: true }),
    end("suite", 1),
    end("#file", 0, { passed: false, inherited: true }),
  ]);
  assertEquals(results, [
    { name: "plain", outcome: "passed" },
    { name: "parent > child", outcome: "passed" },
    { name: "parent > child fails", outcome: "failed", error: "boo" },
    { name: "suite > deep > leaf", outcome: "passed" },
    { name: "suite > later", outcome: "skipped" },
  ]);
});

test("readNodeResults() reports a file and a parent that failed by themselves", () => {
  const events = [
    end("child", 2),
    end("parent", 1, { passed: false, error: "own" }),
    end("#file", 0, { passed: false, error: "its hook failed" }),
  ];
  assertEquals(readNodeResults(events), [
    { name: "parent > child", outcome: "passed" },
    { name: "parent", outcome: "failed", error: "own" },
    { name: "(the file itself)", outcome: "failed", error: "its hook failed" },
  ]);
  assertEquals(readNodeResults([end("#file", 0)]), []);
});

test("readNodeResults() has what had ended when the process went", () => {
  assertEquals(readNodeResults([end("first", 1), end("inside", 2)]), [
    { name: "first", outcome: "passed" },
    { name: "inside", outcome: "passed" },
  ]);
});

test("readNodeResults() keeps what a test told of itself with its result", () => {
  const results = readNodeResults([
    ...[end("leaf", 2), { note: "13 ms" }, { note: "2 rows" }, end("suite", 1)],
    ...[end("plain", 1), end("telling", 1), { note: "5 ms" }, end("#file", 0)],
  ]);
  assertEquals(results, [
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
