/**
 * The program that creates the first files of the embedded database (see `embedded.ts`). JavaScript,
 * because Node 20 loads no TypeScript by itself.
 */
import process from "node:process";
import { PGlite } from "@electric-sql/pglite";

if (process.send !== undefined) {
  // The parent process handles Ctrl-C; this process ends with its parent.
  process.on("SIGINT", () => {});
  process.once("disconnect", () => process.exit(1));
}
const pglite = await PGlite.create({ dataDir: process.argv[2], relaxedDurability: false });
await pglite.close();
// PGlite leaves a handle open.
process.exit(0);
