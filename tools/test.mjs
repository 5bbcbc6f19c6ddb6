/** `npm test`, `npm run faults`: sets everything up and runs the tests, see testing/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";
import { FAULTS_HELP, TEST_HELP } from "./testing/help.mjs";

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(args.includes("--faults") ? FAULTS_HELP : TEST_HELP);
else {await runMain(() =>
    runTypeScript(join(ROOT, "tools", "testing", "main.ts"), args, { dev: true })
  );}
