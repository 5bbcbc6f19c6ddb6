/** `npm run reference`: writes docs/openapi.json and docs/errors.md anew. */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { DOCUMENT_FILE, documentText } from "./document_file.ts";
import { ERRORS_PAGE_FILE, errorsPage } from "./errors_page.ts";

const HELP =
  `The contract as OpenAPI 3.1, made from the forms of packages/protocol and the operations of
packages/reference.

  npm run reference

  --help   this text

It writes docs/openapi.json, and docs/errors.md from the table of errors, anew.
`;

if (process.argv.includes("--help")) process.stdout.write(HELP);
else {
  await writeFile(DOCUMENT_FILE, documentText());
  await writeFile(ERRORS_PAGE_FILE, errorsPage());
}
