/** `npm pack -w packages/client` runs this before and after, see release/pack_client.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { ROOT, runMain } from "./setup.mjs";

const program = join(ROOT, "tools", "release", "pack_client.ts");
await runMain(() => runTypeScript(program, process.argv.slice(2), { dev: true }));
