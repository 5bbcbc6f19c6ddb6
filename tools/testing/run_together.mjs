/**
 * Runs test files, named by their paths, one after the other in this process, each as a suite of its own:
 * what one opens and hooks is its own, and gone before the next is loaded. A suite is called by its
 * file's place among them, as `read_results.ts` reads it: a test that is asked for by its name is not
 * found in a file's.
 */
import { describe, test } from "node:test";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

for (const [place, path] of process.argv.slice(2).entries()) {
  describe(`#${place}`, () => import(pathToFileURL(resolve(path)).href));
  // Its turn comes when the file's tests are over.
  await test("#end", () => {});
}
