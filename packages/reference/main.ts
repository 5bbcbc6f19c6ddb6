/** `npm run reference`: writes docs/openapi.json anew. */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { DOCUMENT_FILE, documentText } from "./document_file.ts";

const HELP =
  `The contract as OpenAPI 3.1, made from the forms of packages/protocol and the operations of
packages/reference.

  npm run reference

  --help   this text

It writes docs/openapi.json anew.
`;

if (process.argv.includes("--help")) process.stdout.write(HELP);
else await writeFile(DOCUMENT_FILE, documentText());
