import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { findProgram } from "../programs/find_program.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../programs/run_postgresql.ts";
import type { PlannedRun, TestResult } from "./file_run.ts";

/** The available programs that tests need. */
export interface Programs {
  databaseUrl: string | undefined;
  /** Returns the result of a file whose program is missing: a failure in CI, otherwise a skip. */
  missingFor(run: PlannedRun): TestResult | undefined;
  /** Returns the log of the PostgreSQL that was started; empty if none was. */
  databaseLog(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Provides the programs for the runs: a running PostgreSQL, Envoy, and programs whose build takes longer than
 * a test may. `missingFor` reports missing ones; nothing is thrown.
 *
 * @param tell called with a line of text while a build runs
 */
export async function havePrograms(
  planned: readonly PlannedRun[],
  tell: (line: string) => void,
): Promise<Programs> {
  const missing = new Map<"PostgreSQL" | "Envoy", string>();
  let server: RunningPostgreSQL | undefined;
  let databaseUrl = process.env.TEST_DATABASE_URL;
  if (!databaseUrl && planned.some(({ on }) => on.database === "PostgreSQL")) {
    try {
      server = await runPostgreSQL({ durable: false });
      databaseUrl = server.url;
    } catch (error) {
      missing.set("PostgreSQL", (error as Error).message);
    }
  }
  if (planned.some(({ file }) => file.kind === "envoy" || file.kind === "fault")) {
    await findProgram("envoy")
      .catch((error: Error) => missing.set("Envoy", error.message));
  }
  // The test that needs the program tries again, and reports why the build fails.
  if (planned.some(({ file }) => file.path.includes("k6"))) {
    await findProgram("k6", tell).catch(() => {});
  }
  if (planned.some(({ file }) => file.path.includes("/chart/"))) {
    await findProgram("helm", tell).catch(() => {});
  }
  return {
    databaseUrl,
    missingFor({ file, on }) {
      const needed = [
        on.database === "PostgreSQL" ? on.database : undefined,
        file.kind === "envoy" ? "Envoy" as const : undefined,
      ];
      const name = needed.find((name) => name !== undefined && missing.has(name));
      if (name === undefined) return undefined;
      return {
        name: "(the file itself)",
        outcome: process.env.CI ? "failed" : "skipped",
        error: `no ${name} (${missing.get(name)?.split("\n")[0]})`,
      };
    },
    databaseLog: async () =>
      server === undefined ? "" : await readFile(join(server.dataFolder, "postgresql.log"), "utf8"),
    stop: async () => await server?.stop(),
  };
}
