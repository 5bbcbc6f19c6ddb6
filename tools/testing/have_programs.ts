import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { findEnvoy } from "../programs/find_envoy.ts";
import { findHelm } from "../programs/find_helm.ts";
import { findK6 } from "../programs/find_k6.ts";
import { endMarkedProcesses, markWithin } from "../programs/marked_processes.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../programs/run_postgresql.ts";
import { mustRun } from "../programs/run_program.ts";
import type { TestFile } from "./list_tests.ts";
import type { Combination } from "./matrix.ts";

/** How long the build of a program may take to end in order. */
const END_PATIENCE_MS = 1_000;

/** What the tests need from outside, as far as this machine has it. */
export type Programs = Awaited<ReturnType<typeof havePrograms>>;

/**
 * Gets what the runs need: a PostgreSQL that runs, Envoy, k6. What cannot be had is named, not thrown. The
 * signal ends what is still being built.
 */
export async function havePrograms(
  planned: readonly { file: TestFile; on: Combination }[],
  options: { ci: boolean; signal: AbortSignal; tell: (line: string) => void },
) {
  const kinds = new Set(planned.map(({ file }) => file.kind));
  const missing = new Map<"PostgreSQL" | "Envoy" | "k6", string>();
  const attempt = async <T>(name: "PostgreSQL" | "Envoy" | "k6", get: () => Promise<T>) => {
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
  if (kinds.has("envoy") || kinds.has("k6") || kinds.has("fault")) {
    await attempt("Envoy", findEnvoy);
  }
  const mark = markWithin(`${process.pid}.programs`);
  const endBuild = () => endMarkedProcesses(mark, END_PATIENCE_MS);
  let k6: Promise<unknown> = Promise.resolve();
  if (kinds.has("k6") || kinds.has("fault")) {
    options.signal.addEventListener("abort", () => void endBuild(), { once: true });
    // The build takes minutes: a person is not made to wait for it by a test run, nor is a test without k6.
    const find = { build: options.ci, progress: options.tell, besideOthers: mark };
    k6 = attempt("k6", () => findK6(find));
    // Faults measure: nothing else runs beside them.
    if (kinds.has("fault")) await k6;
  }
  if (planned.some(({ file }) => file.path.includes("/deployment/chart/"))) {
    // A first build takes longer than a file of tests may; why it failed, the test says.
    await findHelm(options.tell).catch(() => {});
  }
  const databaseVersion = server && await versionOf(server);
  return {
    databaseUrl,
    /** Resolves when k6 is there, or else is among `missing`. */
    k6,
    /** `PostgreSQL 18.4`, when we run it ourselves. */
    databaseVersion,
    /** Why something cannot be had, by its name. */
    missing,
    /** What the PostgreSQL that we run has logged so far. */
    databaseLog: async () =>
      server === undefined ? "" : await readFile(join(server.dataFolder, "postgresql.log"), "utf8"),
    async stop() {
      await Promise.all([endBuild(), server?.stop()]);
      await k6;
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
): "PostgreSQL" | "Envoy" | "k6" | undefined {
  if (database === "PostgreSQL" && missing.has("PostgreSQL")) return "PostgreSQL";
  if ((kind === "envoy" || kind === "k6") && missing.has("Envoy")) return "Envoy";
  return kind === "k6" && missing.has("k6") ? "k6" : undefined;
}
