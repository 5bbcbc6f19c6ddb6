/** `node tools/run.mjs FILE ARGS…`: sets the packages up if need be and runs a TypeScript program. */
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { runMain, SetupError } from "./setup.mjs";

await runMain(async () => {
  const [file, ...args] = process.argv.slice(2);
  if (file === undefined) throw new SetupError("usage: node tools/run.mjs FILE [ARGS…]");
  await runTypeScript(file, args, { dev: false });
});
