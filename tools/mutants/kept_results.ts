import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../programs/cache_folder.ts";
import { ROOT } from "../rules/repository_files.ts";
import { hashText, type Mutant, nameMutant } from "./mutant.ts";

/** What became of a mutant. */
export type Judgement =
  /** A test failed: its file and name. */
  | { outcome: "found"; file: string; test: string }
  | { outcome: "lives" }
  /** It is no program. It does not count. */
  | { outcome: "refused" };

interface Line {
  mutant: string;
  judgement: Judgement;
  /** The hash of the test file that found it, or of all that did not. */
  tests: string;
}

/** The results of earlier runs, in a file of the cache for each text of a source. */
export interface KeptResults {
  /** Returns a mutant's result, unless the source or a test that matters has changed since. */
  find(mutant: Mutant): Judgement | undefined;
  keep(mutant: Mutant, judgement: Judgement): void;
}

/**
 * Opens the kept results of a source file. They go by the texts of source and tests; what a change of
 * other files did to them is not noticed.
 *
 * @param tests the paths of the tests that are to find its mutants
 */
export function openKeptResults(
  source: string,
  tests: readonly string[],
  folder = cacheFolder("mutants"),
  root = ROOT,
): KeptResults {
  const hashFile = (path: string) =>
    existsSync(join(root, path)) ? hashText(readFileSync(join(root, path), "utf8")) : "";
  const allTests = hashText(tests.map((path) => `${path} ${hashFile(path)}`).sort().join("\n"));
  const file = join(folder, `${hashText(source + hashFile(source))}.jsonl`);
  const known = new Map<string, Line>();
  for (const text of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    const line = parse(text);
    if (line !== undefined) known.set(line.mutant, line);
  }
  const hashOf = (judgement: Judgement) =>
    judgement.outcome === "found"
      ? hashFile(judgement.file)
      : judgement.outcome === "lives"
      ? allTests
      : "";
  return {
    find(mutant) {
      const line = known.get(nameMutant(mutant));
      return line?.tests === (line && hashOf(line.judgement)) ? line?.judgement : undefined;
    },
    keep(mutant, judgement) {
      const line = { mutant: nameMutant(mutant), judgement, tests: hashOf(judgement) };
      known.set(line.mutant, line);
      appendFileSync(file, JSON.stringify(line) + "\n");
    },
  };
}

/** A process that was killed may have left half a line. */
function parse(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
