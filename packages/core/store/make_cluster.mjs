/**
 * The thread in which the embedded database makes its first files (see `embedded.ts`). JavaScript,
 * because a thread on Node 20 loads no TypeScript.
 */
import process from "node:process";
import { workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";

const pglite = await PGlite.create({ dataDir: workerData, relaxedDurability: false });
await pglite.close();
// PGlite leaves a handle open.
process.exit(0);
