/** `npm run release`: sets everything up and makes a release, see release/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP =
  `Builds and publishes what partners install: @sabika/client and the packages it stands on.

  npm run release -- --dry-run
  npm run release

  --dry-run     build and check everything, publish nothing
  --out FOLDER  where it is built; .release unless given
  --help        this text

Checks that all versions are the one that CHANGELOG.md released last, packs @sabika/client, writes
what it and the service consist of (CycloneDX) and SHA256SUMS, and publishes: the package to npm, the
sources of canonical, jws, protocol and client to JSR.
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else {await runMain(() =>
    runTypeScript(join(ROOT, "tools", "release", "main.ts"), args, { dev: true })
  );}
