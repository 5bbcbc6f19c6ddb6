/** `npm run contract`: sets everything up and has strangers judge the contract, see tools/contract/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP = `The contract, judged by programs that know nothing of this repository.

  npm run contract [-- JUDGE…]

  JUDGE    document, typescript, java, browser or schemathesis; all of them unless named
  --help   this text

An OpenAPI validator, generated clients that must compile, a headless Chromium with axe on the page
/docs, and schemathesis with all its checks against a sandbox that is started for it (as npm start
does). What they need is fetched once into the cache folder; a judge that cannot be had here is left
out with a line, and under CI that is a failure.
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else {
  await runMain(() =>
    runTypeScript(join(ROOT, "tools", "contract", "main.ts"), args, { dev: true })
  );
}
