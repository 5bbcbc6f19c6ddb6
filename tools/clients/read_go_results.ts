import type { TestResult } from "../testing/read_results.ts";

/** One line of `go test -json`. */
interface GoEvent {
  Action: string;
  Test?: string;
  Output?: string;
}

/** Reads what `go test -json` wrote. Only leaves count: a test with subtests is not one of its own. */
export function readGoResults(text: string): TestResult[] {
  const events = text.split("\n").filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as GoEvent)
    .filter((event): event is GoEvent & { Test: string } => event.Test !== undefined);
  const outputs = new Map<string, string>();
  const ended: TestResult[] = [];
  for (const { Action, Test, Output = "" } of events) {
    outputs.set(Test, (outputs.get(Test) ?? "") + Output);
    const name = Test.replaceAll("/", " > ");
    if (Action === "pass") ended.push({ name, outcome: "passed" });
    if (Action === "skip") ended.push({ name, outcome: "skipped" });
    if (Action === "fail") ended.push({ name, outcome: "failed", error: outputs.get(Test)! });
  }
  const parents = new Set(events.flatMap(({ Test }) => {
    const parts = Test.split("/");
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(" > "));
  }));
  return ended.filter(({ name }) => !parents.has(name));
}
