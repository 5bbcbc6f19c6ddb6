/** `npm run fuzz`: sets everything up and runs the fuzz tests, see tools/fuzz/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP = `Reads what attackers may write: mutations of good inputs, a million for each reader.

  npm run fuzz -- [PATH…] [options]
  (the same after \`deno task fuzz\`)

  PATH        a fuzz test (*_fuzz_test.ts) or a folder; all of them unless named
  --seed S    begin the mutations with this number; a new one unless given, and printed
  --cases N   so many for each reader; 1000000 unless given
  --help      this text

Each reader must give a right answer or a clean refusal for every one of them, and the heap must stay
flat. What fails is printed as short as it was found to fail. In npm test each reader has 300 cases.
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else {await runMain(() =>
    runTypeScript(join(ROOT, "tools", "fuzz", "main.ts"), args, { dev: true })
  );}
