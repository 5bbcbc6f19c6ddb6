import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { readGoResults } from "./read_go_results.ts";

const lines = (...events: object[]) => events.map((event) => JSON.stringify(event)).join("\n");

test("readGoResults() counts leaves, and gives what a failed one printed", () => {
  const text = lines(
    { Action: "start", Package: "p" },
    { Action: "run", Package: "p", Test: "TestA" },
    { Action: "output", Package: "p", Test: "TestA", Output: "    a_test.go:1: got 1\n" },
    { Action: "output", Package: "p", Test: "TestA", Output: "--- FAIL: TestA\n" },
    { Action: "fail", Package: "p", Test: "TestA", Elapsed: 0 },
    { Action: "run", Package: "p", Test: "TestB" },
    { Action: "run", Package: "p", Test: "TestB/one" },
    { Action: "pass", Package: "p", Test: "TestB/one" },
    { Action: "run", Package: "p", Test: "TestB/two/three" },
    { Action: "skip", Package: "p", Test: "TestB/two/three" },
    { Action: "pass", Package: "p", Test: "TestB" },
    { Action: "output", Package: "p", Output: "FAIL\n" },
    { Action: "fail", Package: "p", Elapsed: 0.1 },
  );
  assertEquals(readGoResults(`go: downloading nothing\n${text}\n`), [
    {
      name: "TestA",
      outcome: "failed",
      error: "    a_test.go:1: got 1\n--- FAIL: TestA\n",
    },
    { name: "TestB > one", outcome: "passed" },
    { name: "TestB > two > three", outcome: "skipped" },
  ]);
});

test("readGoResults() finds nothing in what did not compile", () => {
  assertEquals(readGoResults("# sabika\n./client.go:1: syntax error\n"), []);
});
