/**
 * `node instrument_sources.mjs PACKAGES INPUT OUTPUT`: lets StrykerJS, which is installed in the folder
 * PACKAGES, find the mutants of sources and put switches for them into their texts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [packages, input, output] = process.argv.slice(2);
const program = "node_modules/@stryker-mutator/instrumenter/dist/src/index.js";
const { Instrumenter } = await import(pathToFileURL(join(packages, program)).href);
const isDebugEnabled = () => false;
const [info, debug, warn] = [() => {}, () => {}, console.warn];
const instrumenter = new Instrumenter({ info, debug, warn, isDebugEnabled });
const files = JSON.parse(readFileSync(input, "utf8"));
const result = await instrumenter.instrument(
  files.map((file) => ({ ...file, mutate: true })),
  // Texts for people would be most of the mutants.
  { plugins: null, ignorers: [], excludedMutations: ["StringLiteral"] },
);
writeFileSync(output, JSON.stringify(result));
