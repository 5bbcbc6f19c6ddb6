import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { callOperations, keyChecks } from "./typescript_keys.ts";
import { webhookCheck } from "./typescript_webhooks.ts";
import { browserCheck, onBun, onNode } from "./typescript_runtimes.ts";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { installNpmPackages } from "../programs/fetch_packages.ts";
import { ROOT } from "../rules/repository_files.ts";
import { samplesProgram } from "./samples.ts";
import { ensureDeno } from "../setup.mjs";
import {
  type Check,
  check,
  checkExample,
  type Command,
  runCommandOf,
  type Subject,
} from "./subject.ts";
import { commandLine } from "../programs/command_line.ts";

/** The oldest supported Node, and one of each later maintained line. */
const NODES = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];
const PUBLINT = "publint@0.3.25";
const ATTW = "@arethetypeswrong/cli@0.18.5";
const PROGRAM = join(ROOT, "docs", "examples", "trading_day.ts");

/** TypeScript's ways to resolve modules; Node runs the output of the first. */
const RESOLUTIONS = {
  nodenext: { module: "nodenext", outDir: "compiled" },
  node16: { module: "node16", noEmit: true },
  bundler: { module: "esnext", moduleResolution: "bundler", noEmit: true },
};

/** packages/client as users get it: packed, and installed into an empty folder. */
export const typescript: Subject = {
  name: "typescript",
  async prepare(scratch) {
    const deno = await ensureDeno();
    const checkers = await fetchCheckers();
    const { version } = JSON.parse(
      await readFile(join(ROOT, "packages", "client", "package.json"), "utf8"),
    );
    const tarball = join(scratch, `sabika-client-${version}.tgz`);
    const project = await makeProject(join(scratch, "project"));
    const run = (command: string, ...args: string[]): Command => ({ command, args, cwd: project });
    const shell = (script: string, argument = tarball) => run("sh", "-c", script, argument);
    const atRoot = (command: Command): Command => ({ ...command, cwd: ROOT });
    const tsc = (name: string) =>
      run(join(ROOT, "node_modules", ".bin", "tsc"), "-p", `tsconfig.${name}.json`);
    const program = basename(PROGRAM);
    return {
      version: `@sabika/client ${version}`,
      checks: [
        check(
          "a release can be made: versions, components, checksums, and sources to publish",
          atRoot(shell(
            'node tools/run.mjs tools/release/main.ts --dry-run --out "$0" && cd "$0" && sha256sum -c SHA256SUMS',
            join(scratch, "release"),
          )),
        ),
        check(
          "npm pack makes one tarball",
          atRoot(run(
            "npm",
            ...commandLine`pack -w packages/client --pack-destination ${scratch}
              --loglevel=error`,
          )),
        ),
        check(
          "it holds compiled JavaScript and declarations, and no tests",
          shell(
            `tar -tzf "$0" | grep -vE '^package/(dist/.+[.](c?js|d[.]c?ts)|[A-Za-z]+[.](md|json)|LICENSE)$' && exit 1
             tar -tzf "$0" | grep _test && exit 1
             tar -tzf "$0" | grep -q '^package/dist/client/mod[.]d[.]ts$'`,
          ),
        ),
        check(
          "it installs into an empty project, with undici and uqr and nothing else",
          shell(
            `npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$0" &&
             [ "$(npm ls --all --parseable | sed 's/.*node_modules.//' | sort | tail -n 3 | xargs)" = "@sabika/client undici uqr" ] &&
             [ "$(ls -A node_modules | grep -v '^[.]' | xargs)" = "@sabika undici uqr" ]`,
          ),
        ),
        ...Object.keys(RESOLUTIONS).map((name) =>
          check(`a program's types are right with module resolution ${name}`, tsc(name))
        ),
        check("its declarations need no other types", tsc("alone")),
        check("publint finds nothing", run(join(checkers, "publint"), "run", tarball, "--strict")),
        check(
          "arethetypeswrong finds nothing",
          run(join(checkers, "attw"), tarball, "--profile", "node16", "--no-emoji"),
        ),
        check(
          "a CommonJS program requires it, and gets the classes that an import gets",
          run(
            "node",
            "--eval",
            `const { SabikaError, grams } = require("@sabika/client");
            import("@sabika/client").then((esm) => {
              if (esm.SabikaError !== SabikaError || grams("1") !== 1000000n) process.exit(1);
            });`,
          ),
        ),
        browserCheck(project),
        check("its types are right on Deno", run(deno, "check", "--quiet", "alone.ts")),
        ...await Promise.all(NODES.map((version) => onNode(version, project))),
        checkExample(
          (kit, url) =>
            run(
              deno,
              "run",
              "--quiet",
              "--no-prompt",
              `--allow-read=${kit}`,
              `--allow-net=${new URL(url).hostname}`,
              program,
              kit,
              url,
            ),
          "Deno, allowed to read the kit and to reach the host",
        ),
        await onBun(project),
        ...commandChecks(run),
        ...await keyChecks(project),
        webhookCheck(project),
        everyOperation,
        alteredVectors,
      ],
    };
  },
};

/** As the tests of the other clients do. */
const everyOperation: Check = {
  name: "every operation is called",
  async run(sandbox) {
    const { kit, reserveDay } = await sandbox();
    return await callOperations([await reserveDay(), kit]);
  },
};

/** The functions are those of the package; only their tests are not in it. */
const alteredVectors: Check = {
  name: "what a partner kept shows what a database's owner altered",
  async run(_sandbox, vectors) {
    const tests = ["receipt", "reserve", "versions"]
      .map((name) => join("packages", "protocol", `${name}_vectors_test.ts`));
    return await runCommandOf({
      command: process.execPath,
      args: ["--import", "tsx", "--test", ...tests],
      cwd: ROOT,
      env: { SABIKA_VECTORS: await vectors() },
    });
  },
};

/** Makes the checks of `sabika-client` against the sandbox. */
function commandChecks(run: (command: string, ...args: string[]) => Command): Check[] {
  const command = join("node_modules", ".bin", "sabika-client");
  const made = ["keys", "--client-id", "demo", "--organisation", "Demo", "--out", "keys"];
  const withKit = (name: string, shown: RegExp, ...args: string[]): Check => ({
    name,
    async run(sandbox) {
      const { kit } = await sandbox();
      const { ok, output } = await runCommandOf(run(command, ...args, "--kit", kit));
      return { ok: ok && shown.test(output), output };
    },
  });
  const flow = withKit("", /^once more +the same order$/m, "flow");
  return [
    {
      name: "sabika-client keys makes keys",
      async run() {
        const { ok, output } = await runCommandOf(run(command, ...made));
        return { ok: ok && /^signing key id/m.test(output), output };
      },
    },
    withKit("sabika-client probe finds the kit good", /^signature +ok key /m, "probe"),
    {
      name: "sabika-client flow buys once, and listen prints what comes",
      async run(sandbox, vectors) {
        const url = await (await sandbox()).webhookUrl();
        const listen = ["listen", "--url", url, "--count", "2"];
        const listener = withKit("", /genuine: \d+ order.executed/, ...listen);
        const ends = await Promise.all(
          [listener, flow].map((check) => check.run(sandbox, vectors)),
        );
        return {
          ok: ends.every(({ ok }) => ok),
          output: ends.map(({ output }) => output).join(""),
        };
      },
    },
    withKit(
      "sabika-client trigger meets a failure",
      /POST \/v1\/orders → 409 quote_expired/,
      ...commandLine`trigger quote_expired`,
    ),
    withKit(
      "sabika-client trigger sees the SDK ask again",
      // Behind Envoy the lost answer is one of Envoy's.
      /^attempt 1 .* (no answer|→ 503 outcome_unknown).*\nattempt 2 .* → 20[01] .*\nthe SDK +has its answer$/m,
      ...commandLine`trigger lost_answer --on ${"POST /v1/orders"}`,
    ),
  ];
}

/** Makes a user's project: a program, and settings for each way to resolve modules. */
async function makeProject(folder: string): Promise<string> {
  await mkdir(folder);
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), JSON.stringify(content));
  await write("package.json", { private: true, type: "module" });
  await copyFile(PROGRAM, join(folder, basename(PROGRAM)));
  const common = { target: "es2022", lib: ["es2022", "dom"], strict: true, skipLibCheck: false };
  await writeFile(join(folder, "samples.ts"), samplesProgram("TypeScript"));
  for (const [name, how] of Object.entries(RESOLUTIONS)) {
    const typeRoots = [join(ROOT, "node_modules", "@types")];
    await write(`tsconfig.${name}.json`, {
      compilerOptions: { ...common, ...how, types: ["node"], typeRoots },
      files: [basename(PROGRAM), "samples.ts"],
    });
  }
  await writeFile(
    join(folder, "alone.ts"),
    'export { createClient, type Kit } from "@sabika/client";\n',
  );
  await write("tsconfig.alone.json", {
    compilerOptions: { ...common, module: "nodenext", types: [], noEmit: true },
    files: ["alone.ts"],
  });
  return folder;
}

/** Installs publint and arethetypeswrong at pinned versions into a folder of the cache. */
async function fetchCheckers(): Promise<string> {
  const name = `${PUBLINT}-${ATTW}`.replace(/[^\w.]+/g, "-");
  const folder = await fetchOnce(
    join(cacheFolder("clients"), name),
    (part) => installNpmPackages(part, [PUBLINT, ATTW]),
  );
  return join(folder, "node_modules", ".bin");
}
