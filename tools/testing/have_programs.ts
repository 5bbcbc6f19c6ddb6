import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { findHelm } from "../programs/find_helm.ts";
import { findProgram } from "../programs/find_program.ts";
import { endMarkedProcesses, markWithin } from "../programs/marked_processes.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../programs/run_postgresql.ts";
import { mustRun } from "../programs/run_program.ts";
import type { PlannedRun } from "./file_run.ts";
import type { TestFile } from "./list_tests.ts";
import { processorSeconds } from "./test_process.ts";

/** How long the build of a program may take to end in order. */
const END_PATIENCE_MS = 1_000;

type Program = "PostgreSQL" | "Envoy";

/** What the tests need from outside, as far as this machine has it. */
export interface Programs {
  databaseUrl: string | undefined;
  /** `PostgreSQL 18.4`, when we run it ourselves. */
  databaseVersion: string | undefined;
  /** Why something cannot be had, by its name. */
  missing: ReadonlyMap<Program, string>;
  /** What the PostgreSQL that we run has logged so far. */
  databaseLog(): Promise<string>;
  /** How long processors have worked for it so far. */
  databaseSeconds(): number;
  stop(): Promise<void>;
}

/**
 * Gets what the runs need: a PostgreSQL that runs, Envoy, and what is built for a fault test for longer than
 * that may take itself. What cannot be had is named, not thrown. The signal ends what is being built.
 */
export async function havePrograms(
  planned: readonly PlannedRun[],
  options: { signal: AbortSignal; tell: (line: string) => void },
): Promise<Programs> {
  const missing = new Map<Program, string>();
  const attempt = async <T>(name: Program, get: () => Promise<T>) => {
    try {
      return await get();
    } catch (error) {
      missing.set(name, (error as Error).message);
      return undefined;
    }
  };
  let server: RunningPostgreSQL | undefined;
  let databaseUrl = process.env.TEST_DATABASE_URL;
  if (!databaseUrl && planned.some(({ on }) => on.database === "PostgreSQL")) {
    server = await attempt("PostgreSQL", () => runPostgreSQL({ durable: false }));
    databaseUrl = server?.url;
  }
  if (planned.some(({ file }) => file.kind === "envoy" || file.kind === "fault")) {
    await attempt("Envoy", () => findProgram("envoy"));
  }
  const mark = markWithin(`${process.pid}.programs`);
  const endBuild = () => endMarkedProcesses(mark, END_PATIENCE_MS);
  options.signal.addEventListener("abort", () => void endBuild(), { once: true });
  // Why a build failed, the test says that asks for the program again.
  if (planned.some(({ file }) => file.path.includes("k6"))) {
    await findProgram("k6", { progress: options.tell, besideOthers: mark }).catch(() => {});
  }
  if (planned.some(({ file }) => file.path.includes("/chart/"))) {
    await findHelm(options.tell).catch(() => {});
  }
  return {
    databaseUrl,
    databaseVersion: server && await versionOf(server),
    missing,
    databaseLog: async () =>
      server === undefined ? "" : await readFile(join(server.dataFolder, "postgresql.log"), "utf8"),
    databaseSeconds: () => server === undefined ? 0 : processorSeconds(server.pid),
    async stop() {
      await Promise.all([endBuild(), server?.stop()]);
    },
  };
}

async function versionOf({ binFolder }: RunningPostgreSQL): Promise<string> {
  const words = await mustRun(join(binFolder, "postgres"), ["--version"]);
  return `PostgreSQL ${/\d+(\.\d+)*/.exec(words)?.[0]}`;
}

/** Which program a file misses for a run on `database`, if any. */
export function missingFor(
  { kind }: TestFile,
  database: string | undefined,
  { missing }: Programs,
): Program | undefined {
  if (database === "PostgreSQL" && missing.has("PostgreSQL")) return "PostgreSQL";
  return kind === "envoy" && missing.has("Envoy") ? "Envoy" : undefined;
}
