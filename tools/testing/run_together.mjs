/** Loads test files, named by their paths, one after the other into this process: `node:test` runs them all. */
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

for (const path of process.argv.slice(2)) await import(pathToFileURL(resolve(path)).href);
