/** `npm start`, `deno task start`: the sandbox on a bare clone. */
import { join } from "node:path";
import { runTypeScript } from "./run_typescript.mjs";
import { sandboxPermissions } from "./sandbox_permissions.mjs";
import { commandLine, ROOT, runMain } from "./setup.mjs";

const args = commandLine();
await runMain(() =>
  runTypeScript(join(ROOT, "packages", "sandbox", "main.ts"), args, {
    dev: false,
    permissions: sandboxPermissions(args),
  })
);
