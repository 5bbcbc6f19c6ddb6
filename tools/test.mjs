/**
 * `npm test`, `npm run faults`: sets everything up and runs the tests, see testing/main.ts, or a run of
 * faults against the stack, see test/nemesis/main.ts.
 */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";
import { FAULTS_HELP, TEST_HELP } from "./testing/help.mjs";

const args = commandLine();
const isFaults = args[0] === "--faults";
/** Options of a run against the stack, which is no test file. */
const isRun = isFaults &&
  args.some((arg) =>
    /^--(operations|seed|slices|minutes|cells|built|spare|report|end-at)/.test(arg)
  );
if (asksForHelp(args)) process.stdout.write(isFaults ? FAULTS_HELP : TEST_HELP);
else {await runMain(() =>
    isRun
      ? runTypeScript(join(ROOT, "test", "nemesis", "main.ts"), args.slice(1), { dev: true })
      : runTypeScript(join(ROOT, "tools", "testing", "main.ts"), args, { dev: true })
  );}
