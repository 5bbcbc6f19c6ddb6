import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { fetchNode, installNpmPackages } from "../programs/fetch_packages.ts";
import { runProgram } from "../programs/run_program.ts";
import { runPostgreSQL } from "../programs/run_postgresql.ts";
import { ROOT } from "../rules/repository_files.ts";
import type { Surroundings } from "./judge_sql.ts";
import type { Judgement } from "./kept_results.ts";
import { hashText, type Mutant } from "./mutant.ts";
import { readStrykerReport, type StrykerReport } from "./read_stryker_report.ts";
import type { Result } from "./report.ts";
import type { Source } from "./source.ts";
import { makeWorkspace, type Workspace } from "./stryker_workspace.ts";

/** Stryker has 186 packages and needs Node 22, so it is no dependency but fetched when it is used. */
const STRYKER = "10.0.0";
const NODE = "22.23.3";
const REPORT = "stryker-report.json";

/**
 * Judges the mutants of TypeScript files with StrykerJS, file after file: it runs the tests that reach a
 * mutant, in processes of their own, until one fails.
 *
 * @returns the results, and all mutants of the files that were judged as a whole
 */
export async function judgeTypeScript(
  sources: readonly Source[],
  surroundings: Surroundings,
): Promise<{ results: Result[]; mutants: Mutant[] }> {
  const { interrupted, progress } = surroundings;
  const judged = new Map<Source, FileResult[]>();
  const waiting: Source[] = [];
  for (const source of sources) {
    const kept = readKept(source);
    if (kept !== undefined) judged.set(source, kept);
    else if (rangesOf(source).length > 0) waiting.push(source);
  }
  if (waiting.length > 0) {
    progress.say(`${waiting.length} files of TypeScript`);
    const stryker = await openStryker(waiting, surroundings);
    for (const source of waiting) {
      if (interrupted.aborted) break;
      const list = await stryker.judge(source);
      judged.set(source, list);
      if (isWhole(source)) writeFileSync(keptFile(source), JSON.stringify(list));
      const living = list.filter(({ judgement }) => judgement.outcome === "lives").length;
      progress.say(`${source.file}: ${list.length} mutants, ${living} not found`);
    }
    await stryker.stop();
  }
  const all = [...judged].flatMap(([source, list]) => list.map((row) => ({ source, ...row })));
  return {
    results: all.filter(({ source, mutant }) => source.wants(mutant))
      .map(({ source, mutant, judgement }) => ({ room: source.room.name, mutant, judgement })),
    mutants: all.filter(({ source }) => isWhole(source)).map(({ mutant }) => mutant),
  };
}

interface FileResult {
  mutant: Mutant;
  judgement: Judgement;
}

/** The file that keeps a source's results, by its text and those of its tests. */
function keptFile({ file, text, tests }: Source): string {
  const texts = tests.map(({ path }) => path + readFileSync(join(ROOT, path), "utf8"));
  return join(cacheFolder("mutants"), `${hashText([file, text, ...texts].join("\0"))}.json`);
}

function readKept(source: Source): FileResult[] | undefined {
  const file = keptFile(source);
  return source.isAgain || !existsSync(file)
    ? undefined
    : JSON.parse(readFileSync(file, "utf8")) as FileResult[];
}

/** Returns the ranges of lines that are asked for, as Stryker reads them: `FILE:FIRST-LAST`. */
function rangesOf(source: Source): string[] {
  const ranges: [first: number, last: number][] = [];
  source.text.split("\n").forEach((_, at) => {
    const last = ranges.at(-1);
    if (!source.wantsLine(at + 1)) return;
    if (last?.[1] === at) last[1]++;
    else ranges.push([at + 1, at + 1]);
  });
  return ranges.map(([first, last]) => `${source.file}:${first}-${last}`);
}

function isWhole(source: Source): boolean {
  return source.text.split("\n").every((_, at) => source.wantsLine(at + 1));
}

/** Fetches Stryker and what the tests of these sources need. */
async function openStryker(sources: readonly Source[], { workers }: Surroundings) {
  const packages = await fetchOnce(
    join(cacheFolder(), `stryker-${STRYKER}`),
    (part) =>
      installNpmPackages(
        part,
        ["core", "tap-runner"].map((name) => `@stryker-mutator/${name}@${STRYKER}`),
      ),
  );
  const parts = join(packages, "node_modules/@stryker-mutator");
  const node = await fetchNode(NODE);
  const workspace = await makeWorkspace();
  const needsDatabase = sources.some(({ tests }) => tests.some(({ kind }) => kind !== "plain"));
  const server = needsDatabase ? await runPostgreSQL({ durable: false }) : undefined;
  const env = {
    ...process.env,
    ...(server && { TEST_DATABASE_URL: server.url, SABIKA_TEST_DATABASE: "postgresql" }),
  };
  return {
    async judge(source: Source): Promise<FileResult[]> {
      workspace.refresh(source.file);
      const runner = join(parts, "tap-runner/dist/src/index.js");
      writeFileSync(join(workspace.folder, "stryker.json"), configure(source, runner, workers));
      const program = join(parts, "core/bin/stryker.js");
      const end = await runProgram(node, [program, "run", "stryker.json"], {
        cwd: workspace.folder,
        env,
      });
      if (end.exitCode !== 0) {
        throw new Error(
          `Stryker ended with ${end.exitCode}: ${end.stdout.slice(-4000)}${end.stderr}`,
        );
      }
      return readReport(source, workspace);
    },
    async stop() {
      workspace.remove();
      await server?.stop();
    },
  };
}

function configure(source: Source, runner: string, concurrency: number): string {
  return JSON.stringify({
    testRunner: "tap",
    plugins: [runner],
    tap: {
      testFiles: source.tests.map(({ path }) => path),
      nodeArgs: ["--import", "tsx", "--test-reporter=tap", "-r", "{{hookFile}}", "{{testFile}}"],
    },
    mutate: isWhole(source) ? [source.file] : rangesOf(source),
    // Our own packages are found by links, which lead to the workspace itself.
    inPlace: true,
    ignorePatterns: ["**", `!${source.file}`],
    concurrency,
    timeoutMS: 30_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 30,
    reporters: ["json"],
    jsonReporter: { fileName: REPORT },
  });
}

function readReport({ file, text }: Source, { folder }: Workspace): FileResult[] {
  const report = readFileSync(join(folder, REPORT), "utf8");
  return readStrykerReport(file, text, JSON.parse(report) as StrykerReport);
}
