/** A reporter for node:test that sends each event to the runner (`run_on_node.ts`). */
import process from "node:process";
import { inspect } from "node:util";

/** Matches the diagnostics that the runtime itself reports at the end. */
const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

let onEnd = () => {};

/** Resolves when the test `#end`, and so all tests before it, have been reported. */
export function endIsReported() {
  return new Promise((resolve) => (onEnd = resolve));
}

export default async function* report(events) {
  /** The names of the nested tests that are running, beginning with the file. */
  const way = [];
  /** The nesting of the test that ended last: a child is reported before its parent. */
  let last = 0;
  for await (const { type, data } of events) {
    if (type === "test:dequeue") process.send({ begun: data.name });
    if (type === "test:start") way[data.nesting] = data.name;
    if (type === "test:diagnostic" && !SUMMARY.test(data.message)) {
      process.send({ note: data.message });
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, nesting, skip = false, details: { error } } = data;
    const isParent = nesting === 0 || last > nesting;
    last = nesting;
    const hasFailed = type === "test:fail" && error.failureType !== "subtestsFailed";
    if (nesting === 0 && name === "#end") onEnd();
    else if (hasFailed || !isParent) {
      process.send({
        name: way.slice(1, nesting + 1).join(" > ") || "(the file itself)",
        outcome: hasFailed ? "failed" : skip === false ? "passed" : "skipped",
        error: error && inspect(error.cause ?? error, { colors: false, depth: 6 }),
      });
    }
  }
  yield "";
}
