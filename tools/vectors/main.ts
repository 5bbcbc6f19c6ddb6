/** `node tools/run.mjs tools/vectors/main.ts`: writes docs/vectors/*.json from protocol's own tables. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { makeVectorFiles, VECTORS_FOLDER } from "./files.ts";

for (const [name, text] of await makeVectorFiles()) {
  await writeFile(join(VECTORS_FOLDER, name), text);
  process.stdout.write(`docs/vectors/${name}\n`);
}
