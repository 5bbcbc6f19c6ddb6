#!/usr/bin/env node
/** `npx sabika-client`, `deno task sabika-client`: the partner's command on a bare clone. */
import { join } from "node:path";
import { runTypeScript } from "./run_typescript.mjs";
import { commandLine, ROOT, runMain } from "./setup.mjs";

const program = join(ROOT, "packages", "client", "command", "main.ts");
await runMain(() => runTypeScript(program, commandLine(), { dev: false, isBuilt: true }));
