#!/usr/bin/env node
/** `npx sabika`, `deno task sabika`: the operator's command on a bare clone. */
import { runTypeScript } from "./run_typescript.mjs";
import { commandLine, runMain } from "./setup.mjs";

const options = { dev: false, isBuilt: true };
await runMain(() => runTypeScript("packages/operator/main.ts", commandLine(), options));
