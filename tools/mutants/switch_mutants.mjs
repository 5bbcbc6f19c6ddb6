/**
 * Loaded before tests whose sources StrykerJS has instrumented: switches on the mutant that the environment
 * names, and keeps how often each test file reaches each mutant.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const { MUTANT_COVERAGE: folder } = process.env;
const mutantCoverage = { static: {}, perTest: {} };
let [current, id, limit] = ["", "", ""];

// The names are those that instrumented sources read.
globalThis.__stryker__ = {
  mutantCoverage,
  hitCount: 0,
  get currentTestId() {
    return process.env.MUTANT_RUN;
  },
  get activeMutant() {
    const { MUTANT: wanted = "" } = process.env;
    if (wanted !== current) {
      current = wanted;
      [id, limit] = wanted.split(" ");
      this.hitCount = 0;
    }
    return id;
  },
  /** An instrumented source throws after as many hits: the mutant has made an endless loop. */
  get hitLimit() {
    return Number(limit);
  },
};

if (folder !== undefined) {
  process.on("exit", () => {
    const name = `${process.pid}-${Math.random()}.json`;
    writeFileSync(join(folder, name), JSON.stringify(mutantCoverage.perTest));
  });
}
