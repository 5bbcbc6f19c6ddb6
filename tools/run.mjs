/** `node tools/run.mjs FILE ARGS…`: sets the packages up if need be and runs a TypeScript program. */
import { runTypeScript, showHelp } from "./run_typescript.mjs";
import { commandLine, runMain, SetupError } from "./setup.mjs";

await runMain(async () => {
  const [file, ...args] = commandLine();
  if (file === undefined) throw new SetupError("usage: node tools/run.mjs FILE [ARGS…]");
  if (!showHelp(file, args)) await runTypeScript(file, args, { dev: false });
});
