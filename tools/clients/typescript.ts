import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { cacheFolder } from "../programs/cache_folder.ts";
import { fetchNode } from "../programs/fetch_node.ts";
import { fetchOnce } from "../programs/fetch_once.ts";
import { installNpmPackages } from "../programs/install_npm_packages.ts";
import { ROOT } from "../rules/repository_files.ts";
import { ensureDeno } from "../setup.mjs";
import type { TestResult } from "../testing/read_results.ts";
import {
  type Command,
  EXAMPLE,
  type Example,
  type Language,
  type LanguageTests,
  runCommandOf,
} from "./language.ts";

/** The oldest Node that is promised, and one of each later line that is maintained. */
const NODES = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];
const PUBLINT = "publint@0.3.25";
const ATTW = "@arethetypeswrong/cli@0.18.5";
const PROGRAM = join(ROOT, "docs", "examples", "buy_gold.ts");

/** How a project may have TypeScript resolve modules; the first one's output is what Node runs. */
const RESOLUTIONS = {
  nodenext: { module: "nodenext", outDir: "compiled" },
  node16: { module: "node16", noEmit: true },
  bundler: { module: "esnext", moduleResolution: "bundler", noEmit: true },
};

/** packages/client as a stranger gets it: packed, and installed into a folder with nothing else. */
export const typescript: Language = {
  name: "typescript",
  async prepare(scratch) {
    const deno = await ensureDeno();
    const checkers = await fetchCheckers();
    const { version } = JSON.parse(
      await readFile(join(ROOT, "packages", "client", "package.json"), "utf8"),
    );
    const tarball = join(scratch, `sabika-client-${version}.tgz`);
    const project = await makeProject(join(scratch, "project"));
    const run = (command: string, ...args: string[]): Command => ({
      command,
      args,
      cwd: project,
      env: {},
    });
    const shell = (script: string, given = tarball) => run("sh", "-c", script, given);
    const npm = (...args: string[]) => run("npm", ...args, "--loglevel=error");
    const tsc = join(ROOT, "node_modules", ".bin", "tsc");
    const program = basename(PROGRAM);
    return {
      version: `@sabika/client ${version}`,
      checks: [
        {
          name: "a release can be made: versions, components, checksums, and sources to publish",
          command: {
            ...shell(
              'node tools/release.mjs --dry-run --out "$0" && cd "$0" && sha256sum -c SHA256SUMS',
              join(scratch, "release"),
            ),
            cwd: ROOT,
          },
        },
        {
          name: "npm pack makes one tarball",
          command: {
            ...npm("pack", "-w", "packages/client", "--pack-destination", scratch),
            cwd: ROOT,
          },
        },
        {
          name: "it holds compiled JavaScript and declarations, and no tests",
          command: shell(
            `tar -tzf "$0" | grep -vE '^package/(dist/.+[.](js|d[.]ts)|[A-Za-z]+[.](md|json)|LICENSE)$' && exit 1
             tar -tzf "$0" | grep _test && exit 1
             tar -tzf "$0" | grep -q '^package/dist/client/mod[.]d[.]ts$'`,
          ),
        },
        {
          name: "it installs into an empty project, with undici and nothing else",
          command: shell(
            `npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$0" &&
             [ "$(npm ls --all --parseable | sed 's/.*node_modules.//' | sort | tail -n 2 | xargs)" = "@sabika/client undici" ] &&
             [ "$(ls -A node_modules | grep -v '^[.]' | xargs)" = "@sabika undici" ]`,
          ),
        },
        ...Object.keys(RESOLUTIONS).map((name) => ({
          name: `a program's types are right with module resolution ${name}`,
          command: run(tsc, "-p", `tsconfig.${name}.json`),
        })),
        {
          name: "its declarations need no other types",
          command: run(tsc, "-p", "tsconfig.alone.json"),
        },
        {
          name: "publint finds nothing",
          command: run(join(checkers, "publint"), "run", tarball, "--strict"),
        },
        {
          name: "arethetypeswrong finds nothing",
          command: run(join(checkers, "attw"), tarball, "--profile", "esm-only", "--no-emoji"),
        },
        {
          name: "its types are right on Deno",
          command: run(deno, "check", "--quiet", "alone.ts"),
        },
      ],
      examples: [
        ...await Promise.all(NODES.map((version) => onNode(version, project))),
        {
          name: `${EXAMPLE} (Deno, allowed to read the kit and to reach the host)`,
          command: (kit, url) =>
            run(
              deno,
              ...["run", "--quiet", "--no-prompt", `--allow-read=${kit}`],
              ...[`--allow-net=${new URL(url).hostname}`, program, kit, url],
            ),
        },
      ],
      test: (kit, url) => tryCommand(run, join("node_modules", ".bin", "sabika-client"), kit, url),
    };
  },
};

/** Walks `sabika-client` through the sandbox. */
async function tryCommand(
  run: (command: string, ...args: string[]) => Command,
  command: string,
  kit: string,
  url: string,
): Promise<LanguageTests> {
  const of = (...args: string[]) => runCommandOf(run(command, ...args, "--kit", kit));
  const made = ["keys", "--client-id", "demo", "--organisation", "Demo", "--out", "keys"];
  const listening = of("listen", "--url", url, "--count", "2");
  const ends = {
    "sabika-client probe finds the kit good": [await of("probe"), /^signature +ok key /m],
    "sabika-client flow buys once": [await of("flow"), /^once more +the same order$/m],
    "sabika-client listen prints what comes": [await listening, /genuine: \d+ order.executed/],
    "sabika-client trigger meets a failure": [
      await of("trigger", "quote_expired"),
      /POST \/v1\/orders → 409 quote_expired/,
    ],
    "sabika-client trigger sees the SDK ask again": [
      await of("trigger", "lost_answer", "--on", "POST /v1/orders"),
      /^attempt 1 .* no answer.*\nattempt 2 .* → 20[01] .*\nthe SDK +has its answer$/m,
    ],
    "sabika-client keys makes keys": [
      await runCommandOf(run(command, ...made)),
      /^signing key id/m,
    ],
  } as const;
  const results = Object.entries(ends).map(([name, [{ ok, output }, shown]]): TestResult =>
    ok && shown.test(output)
      ? { name, outcome: "passed" }
      : { name, outcome: "failed", error: output }
  );
  return { results, output: Object.values(ends).map(([{ output }]) => output).join("") };
}

async function onNode(version: string, cwd: string): Promise<Example> {
  const name = `${EXAMPLE} (Node ${version})`;
  const node = await fetchNode(version).catch((error: Error) => error);
  if (node instanceof Error) return { name, missing: node.message };
  const program = join("compiled", "buy_gold.js");
  return {
    name,
    command: (kit, url) => ({ command: node, args: [program, kit, url], cwd, env: {} }),
  };
}

/** A project of somebody else: a program, and settings for each way to resolve modules. */
async function makeProject(folder: string): Promise<string> {
  await mkdir(folder);
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), JSON.stringify(content));
  await write("package.json", { private: true, type: "module" });
  await copyFile(PROGRAM, join(folder, basename(PROGRAM)));
  const common = { target: "es2022", lib: ["es2022", "dom"], strict: true, skipLibCheck: false };
  for (const [name, how] of Object.entries(RESOLUTIONS)) {
    const typeRoots = [join(ROOT, "node_modules", "@types")];
    await write(`tsconfig.${name}.json`, {
      compilerOptions: { ...common, ...how, types: ["node"], typeRoots },
      files: [basename(PROGRAM)],
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

/** publint and arethetypeswrong at their pinned versions, in a folder of the cache. */
async function fetchCheckers(): Promise<string> {
  const name = `${PUBLINT}-${ATTW}`.replace(/[^\w.]+/g, "-");
  const folder = await fetchOnce(
    join(cacheFolder("clients"), name),
    (part) => installNpmPackages(part, [PUBLINT, ATTW]),
  );
  return join(folder, "node_modules", ".bin");
}
