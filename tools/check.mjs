/** `npm run check`: sets everything up and checks the sources, see check.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP = `Checks the sources: format, lint, types, unused code and the rules of the repository.

  npm run check
  (the same: \`deno task check\`)

  --help        show this and exit

Exit code 0: all is well, 1: something is not, 2: a wrong option.
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else if (args.length > 0) {
  process.stderr.write(`npm run check takes no ${args[0]}; see \`npm run check -- --help\`\n`);
  process.exitCode = 2;
} else await runMain(() => runTypeScript(join(ROOT, "tools", "check.ts"), [], { dev: true }));
