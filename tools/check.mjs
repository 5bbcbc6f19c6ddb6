/** `npm run check`: format, lint, types and the import rule, see check.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { ROOT, runMain } from "./setup.mjs";

await runMain(() =>
  runTypeScript(join(ROOT, "tools", "check.ts"), process.argv.slice(2), { dev: true })
);
