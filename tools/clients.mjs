/** `npm run clients`: sets everything up and checks the clients in all languages, see tools/clients/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP =
  `The SDK as a package, and the clients in other languages, held to docs/vectors and to a sandbox.

  npm run clients [-- LANGUAGE…]

  LANGUAGE   typescript, python, go or java; all of them unless named
  --help     this text

Each is checked and built, its example buys gold from a sandbox that is started for it (as npm start
does) and receives the webhook, and then its own tests run: every vector, and the client against the
sandbox. What a language needs beside its own tools is fetched once into the cache folder. A language
whose tools are not here is left out with a line; under CI that is a failure.
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else {await runMain(() =>
    runTypeScript(join(ROOT, "tools", "clients", "main.ts"), args, { dev: true })
  );}
