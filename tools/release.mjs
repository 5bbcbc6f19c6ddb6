/** `npm run release`: sets everything up and makes a release, see release/main.ts. */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const HELP =
  `Builds and publishes what partners install: @sabika/client and the packages it stands on.

  npm run release -- --dry-run
  npm run release -- --sign KEY

  --dry-run     build and check everything, publish nothing
  --sign KEY    PEM of the private key that signs the checksums and the provenance statement
  --out FOLDER  where it is built; .release unless given
  --help        this text

Checks that all versions are the one that CHANGELOG.md released last, packs @sabika/client, builds
the service (npm run build), writes what both consist of (CycloneDX), SHA256SUMS and provenance.json
(in-toto, SLSA v1), signs these two, and publishes: the package to npm, the sources of canonical, jws,
protocol and client to JSR. Whoever has the public key checks a release by

  openssl dgst -sha256 -verify release.pub -signature SHA256SUMS.sig SHA256SUMS && sha256sum -c SHA256SUMS
`;

const args = commandLine();
if (asksForHelp(args)) process.stdout.write(HELP);
else {await runMain(() =>
    runTypeScript(join(ROOT, "tools", "release", "main.ts"), args, { dev: true })
  );}
