#!/usr/bin/env node
/** `npx sabika-client`, `deno task sabika-client`: the partner's command on a bare clone. */
import { runTypeScript } from "./run_typescript.mjs";
import { commandLine, runMain } from "./setup.mjs";

const options = { dev: false, isBuilt: true };
await runMain(() => runTypeScript("packages/client/command/main.ts", commandLine(), options));
