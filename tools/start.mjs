/** `npm start`, `deno task start`: the sandbox on a bare clone. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { ROOT, runMain } from "./setup.mjs";

await runMain(() =>
  runTypeScript(join(ROOT, "packages", "sandbox", "main.ts"), process.argv.slice(2), { dev: false })
);
