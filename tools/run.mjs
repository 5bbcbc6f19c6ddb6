/**
 * `node tools/run.mjs FILE ARGS…`: installs missing packages and runs a TypeScript program. Programs of
 * tools and test need the development packages too.
 */
import { dirname, join } from "node:path";
import { runTypeScript, showHelp } from "./run_typescript.mjs";
import { commandLine, runMain, SetupError } from "./setup.mjs";

await runMain(async () => {
  const [file, ...args] = commandLine();
  if (file === undefined) throw new SetupError("usage: node tools/run.mjs FILE [ARGS…]");
  const dev = /^(tools|test)\//.test(file);
  if (!showHelp(join(dirname(file), "help.txt"), args, { hasCommands: !dev })) {
    await runTypeScript(file, args, { dev });
  }
});
