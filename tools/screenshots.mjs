/** `npm run screenshots`: sets everything up and photographs the console, see docs/console/README.md. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP =
  `Photographs the pages of the console for docs/console, in English and Arabic, light and dark.

  npm run screenshots
  (the same after \`deno task screenshots\`)

  --help   this text

A console with a history is started for it, and in each language somebody registers a passkey in
Chromium and looks around; axe checks each page on the way, and what it finds is a failure.
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else {await runMain(() =>
    runTypeScript(join(ROOT, "test", "support", "console_screenshots_main.ts"), args, { dev: true })
  );}
