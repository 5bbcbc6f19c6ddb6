/** `npm start`, `deno task start`: the sandbox on a bare clone. */
import { setFlagsFromString } from "node:v8";
import { runTypeScript, showHelp } from "./run_typescript.mjs";
import { sandboxPermissions } from "./sandbox_permissions.mjs";
import { commandLine, runMain } from "./setup.mjs";

// Without the second, optimising compiler the embedded database takes 100 MB less, starts sooner, and
// answers the sandbox's few requests no later.
const WASM = "--liftoff-only";

const args = commandLine();
if (!globalThis.Deno) setFlagsFromString(WASM);
if (!showHelp("packages/sandbox/help.txt", args)) {
  await runMain(() =>
    runTypeScript("packages/sandbox/main.ts", args, {
      dev: false,
      isBuilt: true,
      permissions: [...sandboxPermissions(args), `--v8-flags=${WASM}`],
    })
  );
}
