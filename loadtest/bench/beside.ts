/**
 * Puts the results of several runs beside one another, as a table for docs/performance.md: of the same
 * commit on the same machine by several runtimes, or of several commits.
 *
 *   node tools/run.mjs loadtest/bench/beside.ts FILE.json FILE.json …
 *
 * Each FILE is what `npm run bench -- --json FILE` wrote.
 */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { type Result, tableBeside } from "./table_beside.ts";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("name the files that npm run bench -- --json FILE wrote");
  process.exitCode = 2;
} else {
  const results = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(file, "utf8")) as Result),
  );
  process.stdout.write(tableBeside(results));
}
