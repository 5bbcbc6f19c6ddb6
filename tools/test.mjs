/**
 * `npm test`, `npm run faults`: sets everything up and runs the tests, see testing/main.ts, or a run of
 * faults against the stack, see test/nemesis/main.ts.
 */
import { join } from "node:path";
import { runTypeScript, showHelp } from "./run_typescript.mjs";
import { commandLine, ROOT, runMain } from "./setup.mjs";

const args = commandLine();
const isFaults = args[0] === "--faults";
/** Options of a run against the stack, which is no test file. */
const isRun = isFaults &&
  args.some((arg) =>
    /^--(operations|seed|slices|minutes|cells|built|spare|report|end-at)/.test(arg)
  );
const nemesis = join(ROOT, "test", "nemesis", "main.ts");
const tests = join(ROOT, "tools", "testing", "main.ts");
await runMain(async () => {
  if (showHelp(isFaults ? nemesis : tests, args)) return;
  await (isRun
    ? runTypeScript(nemesis, args.slice(1), { dev: true })
    : runTypeScript(tests, args, { dev: true }));
});
