/** `node tools/run.mjs tools/raise_schema_version.ts`: run it after changing migrations or functions. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { repositoryFiles, ROOT } from "./rules/repository_files.ts";
import {
  checkSchemaVersion,
  raiseSchemaVersion,
  SCHEMA_VERSION_FILE,
} from "./rules/schema_version.ts";

const files = await repositoryFiles();
if (checkSchemaVersion(files).length > 0) {
  const text = raiseSchemaVersion(files);
  await writeFile(join(ROOT, SCHEMA_VERSION_FILE), text);
  process.stdout.write(`schema version ${JSON.parse(text).version}\n`);
} else process.stdout.write("nothing has changed\n");
