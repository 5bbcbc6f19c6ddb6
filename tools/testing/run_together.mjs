/** Loads test files, named by their paths, one after the other into this process: `node:test` runs them all. */
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const files = process.argv.slice(2).map((path) => pathToFileURL(resolve(path)).href);
for (const file of files) await import(file);
