#!/usr/bin/env node
/** `npx sabika`, `deno task sabika`: the operator's command on a bare clone. */
import { join } from "node:path";
import { runTypeScript } from "./run_typescript.mjs";
import { commandLine, ROOT, runMain } from "./setup.mjs";

await runMain(() =>
  runTypeScript(join(ROOT, "packages", "operator", "main.ts"), commandLine(), {
    dev: false,
    isBuilt: true,
  })
);
