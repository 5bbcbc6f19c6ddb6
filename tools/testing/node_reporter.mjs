/** A reporter for node:test that sends the runner what happens, see `run_on_node.ts`. */
import process from "node:process";
import { inspect } from "node:util";

/** What the runtime itself tells at the end. */
const OF_THE_RUN = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

let onEnd = () => {};

/** Resolves when the test `#end` has been reported, and with it all tests before. */
export function endIsReported() {
  return new Promise((resolve) => (onEnd = resolve));
}

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === "test:dequeue") process.send({ begun: data.name });
    if (type === "test:diagnostic" && !OF_THE_RUN.test(data.message)) {
      process.send({ note: data.message });
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, nesting, skip = false, details } = data;
    if (nesting === 0 && name === "#end") onEnd();
    else process.send(resultOf({ name, nesting, skip, error: details?.error }, type));
  }
  yield "";
}

function resultOf({ name, nesting, skip, error }, type) {
  return {
    name,
    nesting,
    passed: type === "test:pass",
    skipped: skip !== false,
    inherited: error?.failureType === "subtestsFailed",
    error: error && inspect(error.cause ?? error, { colors: false, depth: 6 }),
  };
}
