/** `npm run reference`: writes docs/openapi.json anew. */
import { writeFile } from "node:fs/promises";
import { DOCUMENT_FILE, documentText } from "./document_file.ts";

await writeFile(DOCUMENT_FILE, documentText());
