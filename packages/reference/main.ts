/** `npm run reference`: writes the pages and clients that are generated from the code, or says which are outdated. */
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CLIENT_FILES } from "./clients/files.ts";
import { DOCUMENT_FILE, documentText } from "./document_file.ts";
import { REFUSAL_VECTORS_FILE, refusalVectors } from "./refusal_vectors.ts";
import { SETTINGS_PAGE_FILE, settingsPage } from "./settings_page.ts";

/** The help text, in a file because it is also shown before any package is installed. */
const HELP = readFileSync(new URL("./help.txt", import.meta.url), "utf8");

const PAGES: readonly [file: URL, make: () => string][] = [
  [DOCUMENT_FILE, documentText],
  [SETTINGS_PAGE_FILE, settingsPage],
  [REFUSAL_VECTORS_FILE, refusalVectors],
  ...CLIENT_FILES,
];

if (process.argv.includes("--help")) process.stdout.write(HELP);
else if (process.argv.includes("--check")) {
  for (const [file, make] of PAGES) {
    if (await readFile(file, "utf8") === make()) continue;
    process.stdout.write(`${fileURLToPath(file)} is old: npm run reference writes it anew\n`);
    process.exitCode = 1;
  }
} else {
  for (const [file, make] of PAGES) await writeFile(file, make());
}
