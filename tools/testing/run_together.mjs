/**
 * Loads test files, named by their paths, into this process, each as a suite of its own, so that what it
 * sets up and hooks is its own. A suite is called by its file's place among them, as `read_results.ts`
 * reads it: a test that is asked for by its name is not found in a file's.
 */
import { describe } from "node:test";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const loading = [];
for (const [place, path] of process.argv.slice(2).entries()) {
  describe(`#${place}`, async () => {
    const file = import(pathToFileURL(resolve(path)).href);
    loading.push(file);
    await file;
    // A suite that is still loading when its turn comes has no test.
    await Promise.allSettled(loading);
  });
}
