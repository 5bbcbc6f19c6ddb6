/**
 * `node tools/command.mjs NAME ARGS…`: an npm script whose program needs the development packages. Its help
 * is shown before anything is set up.
 */
import { join } from "node:path";
import process from "node:process";
import { runTypeScript } from "./run_typescript.mjs";
import { asksForHelp, commandLine, ROOT, runMain } from "./setup.mjs";

const COMMANDS = {
  build: {
    program: "tools/build/main.ts",
    help:
      `Compiles what runs in production into a folder of its own, which needs Node and nothing else.

  npm run build [-- --out FOLDER]

  --out FOLDER  where it is built, .build unless given; what a build left there before is replaced
  --help        this text

In it are the server, the operator's command, the sidecar's renderer and the jobs of the containers as
JavaScript, the migrations, the packages that they import, and what they consist of (sbom.cdx.json).
`,
  },
  check: {
    program: "tools/check.ts",
    help: `Checks the sources: format, lint, types, unused code and the rules of the repository.

  npm run check
  (the same: \`deno task check\`)

  --help        show this and exit

Exit code 0: all is well, 1: something is not, 2: a wrong option.
`,
  },
  clients: {
    program: "tools/clients/main.ts",
    help:
      `The SDK as a package, and the clients in other languages, held to docs/vectors and to a sandbox.

  npm run clients [-- LANGUAGE…]

  LANGUAGE   typescript, python, go or java; all of them unless named
  --help     this text

Each is checked and built, its example buys gold from a sandbox that is started for it (as npm start
does) and receives the webhook, and then its own tests run: every vector, and the client against the
sandbox. What a language needs beside its own tools is fetched once into the cache folder. A language
whose tools are not here is left out with a line; under CI that is a failure.
`,
  },
  contract: {
    program: "tools/contract/main.ts",
    help: `The contract, judged by programs that know nothing of this repository.

  npm run contract [-- JUDGE…]

  JUDGE    document, typescript, java, browser or schemathesis; all of them unless named
  --help   this text

An OpenAPI validator, generated clients that must compile, a headless Chromium with axe on the page
/docs, and schemathesis with all its checks against a sandbox that is started for it (as npm start
does). What they need is fetched once into the cache folder; a judge that cannot be had here is left
out with a line, and under CI that is a failure.
`,
  },
  fuzz: {
    program: "tools/fuzz/main.ts",
    help: `Reads what attackers may write: mutations of good inputs, a million for each reader.

  npm run fuzz -- [PATH…] [options]
  (the same after \`deno task fuzz\`)

  PATH        a fuzz test (*_fuzz_test.ts) or a folder; all of them unless named
  --seed S    begin the mutations with this number; a new one unless given, and printed
  --cases N   so many for each reader; 1000000 unless given
  --help      this text

Each reader must give a right answer or a clean refusal for every one of them, and the heap must stay
flat. What fails is printed as short as it was found to fail. In npm test each reader has 300 cases.
`,
  },
  release: {
    program: "tools/release/main.ts",
    help: `Builds and publishes what partners install: @sabika/client and the packages it stands on.

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
`,
  },
  screenshots: {
    program: "test/support/console_screenshots_main.ts",
    help:
      `Photographs the pages of the console for docs/console, in English and Arabic, light and dark.

  npm run screenshots
  (the same after \`deno task screenshots\`)

  --help   this text

A console with a history is started for it, and in each language somebody registers a passkey in
Chromium and looks around; axe checks each page on the way, and what it finds is a failure.
`,
  },
};

const [name, ...args] = commandLine();
const { program, help } = COMMANDS[name];
if (asksForHelp(args)) process.stdout.write(help);
else if (name === "check" && args.length > 0) {
  process.stderr.write(`npm run check takes no ${args[0]}; see \`npm run check -- --help\`\n`);
  process.exitCode = 2;
} else await runMain(() => runTypeScript(join(ROOT, program), args, { dev: true }));
