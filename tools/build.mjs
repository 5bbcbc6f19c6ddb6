/** `npm run build`: sets everything up and compiles the service for production, see build/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP =
  `Compiles what runs in production into a folder of its own, which needs Node and nothing else.

  npm run build [-- --out FOLDER]

  --out FOLDER  where it is built, .build unless given; what a build left there before is replaced
  --help        this text

In it are the server, the operator's command, the sidecar's renderer and the jobs of the containers as
JavaScript, the migrations, the packages that they import, and what they consist of (sbom.cdx.json).
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else {await runMain(() =>
    runTypeScript(join(ROOT, "tools", "build", "main.ts"), args, { dev: true })
  );}
