/**
 * `npm test`, `npm run faults`, `npm run fuzz`: sets everything up and runs the tests (testing/main.ts), or
 * faults against the stack (test/nemesis/main.ts).
 */
import { runTypeScript, showHelp } from "./run_typescript.mjs";
import { commandLine, runMain } from "./setup.mjs";

const args = commandLine();
const HELP = { "--faults": "test/nemesis/help.txt", "--fuzz": "tools/testing/fuzz_help.txt" };
/** Whether the options are those of a run against the stack, which is no test file. */
const isRun = args[0] === "--faults" &&
  args.some((arg) => /^--(operations|seed|minutes|cells|built)/.test(arg));
await runMain(async () => {
  if (showHelp(HELP[args[0]] ?? "tools/testing/help.txt", args)) return;
  await (isRun
    ? runTypeScript("test/nemesis/main.ts", args.slice(1), { dev: true })
    : runTypeScript("tools/testing/main.ts", args, { dev: true }));
});
