import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { readJunit } from "./read_junit.ts";

test("readJunit() reads what pytest writes", () => {
  const xml = `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite
    name="pytest" errors="0" failures="1" skipped="1" tests="3"><testcase classname="tests.test_kit"
    name="test_a[&lt;x&gt; &quot;y&quot;]" time="0.1" /><testcase classname="tests.test_kit"
    name="test_b" time="0.2"><failure message="assert 1 == 2">def test_b():
&gt; assert 1 == 2</failure></testcase><testcase classname="" name="test_c" time="0"><skipped
    type="pytest.skip" message="no kit">here</skipped></testcase></testsuite></testsuites>`;
  assertEquals(readJunit(xml), [
    { name: 'tests.test_kit > test_a[<x> "y"]', outcome: "passed" },
    {
      name: "tests.test_kit > test_b",
      outcome: "failed",
      error: "def test_b():\n> assert 1 == 2",
    },
    { name: "test_c", outcome: "skipped" },
  ]);
});

test("readJunit() reads what surefire writes", () => {
  const xml =
    `<testsuite name="VectorsTest"><properties><property name="name" value="x"/></properties>
  <testcase name="jws{Vector}[1]" classname="sabika.VectorsTest" time="0.01"/>
  <testcase name="flow" classname="sabika.ClientTest" time="0.01">
    <error message="no kit" type="java.lang.IllegalStateException"><![CDATA[java.lang.Illegal: no <kit>
	at sabika.ClientTest]]></error>
    <system-out><![CDATA[words]]></system-out>
  </testcase>
  <testcase name="empty" classname="sabika.ClientTest"><failure message="expected &lt;1&gt;" type="x"/></testcase>
  </testsuite>`;
  assertEquals(readJunit(xml), [
    { name: "sabika.VectorsTest > jws{Vector}[1]", outcome: "passed" },
    {
      name: "sabika.ClientTest > flow",
      outcome: "failed",
      error: "java.lang.Illegal: no <kit>\n\tat sabika.ClientTest",
    },
    { name: "sabika.ClientTest > empty", outcome: "failed", error: "expected <1>" },
  ]);
});

test("readJunit() finds nothing in what is no report", () => {
  assertEquals(readJunit(""), []);
});
