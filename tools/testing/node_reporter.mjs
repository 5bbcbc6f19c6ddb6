/**
 * A reporter for node:test that writes one line of JSON a test, and one for each figure that a test tells
 * of (`t.diagnostic`), after its own: what `read_results.ts` reads.
 */
import { inspect } from "node:util";

/** What the runtime itself tells at the end. */
const OF_THE_RUN = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === "test:diagnostic" && !OF_THE_RUN.test(data.message)) {
      yield JSON.stringify({ note: data.message }) + "\n";
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const error = data.details?.error;
    yield JSON.stringify({
      name: data.name,
      file: data.file,
      nesting: data.nesting,
      passed: type === "test:pass",
      skipped: data.skip !== undefined && data.skip !== false,
      inherited: error?.failureType === "subtestsFailed",
      error: error && inspect(error.cause ?? error, { colors: false, depth: 6 }),
    }) + "\n";
  }
}
