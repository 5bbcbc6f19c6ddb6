/** `npm test [-- PATH…]`: sets everything up and runs the tests, see testing/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { ROOT, runMain } from "./setup.mjs";

await runMain(() =>
  runTypeScript(join(ROOT, "tools", "testing", "main.ts"), process.argv.slice(2), { dev: true })
);
