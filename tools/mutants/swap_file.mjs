/** Loaded before a test: makes a file have another text, the mutant's, for whoever reads it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";

const { MUTANT_FILE: file, MUTANT_TEXT: text } = process.env;
const { readFile } = fs.promises;

fs.promises.readFile = (path, ...options) => {
  const isSwapped = (path instanceof URL ? fileURLToPath(path) : path) === file;
  return readFile(isSwapped ? text : path, ...options);
};
syncBuiltinESMExports();
