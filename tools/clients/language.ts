import process from "node:process";
import { runProgram } from "../programs/run_program.ts";
import type { TestResult } from "../testing/read_results.ts";

export interface Command {
  command: string;
  args: readonly string[];
  cwd: string;
  /** Added to our own. */
  env: Readonly<Record<string, string>>;
}

/** A language in which there is a client. */
export interface Language {
  /** As it is named on the command line, and its folder in `clients/`. */
  name: string;
  /**
   * Finds the language's tools and fetches what the client needs.
   *
   * @param scratch an empty folder for what is built; removed afterwards
   * @throws Error with the reason when this machine cannot have them
   */
  prepare(scratch: string): Promise<PreparedLanguage>;
}

/** A language whose tools are here. */
export interface PreparedLanguage {
  /** `Python 3.11.7` */
  version: string;
  /** Format, types and build, in this order: each is one test. */
  checks: readonly { name: string; command: Command }[];
  /** The example program on each runtime that it is for. */
  examples: readonly Example[];
  /** All tests: the vectors, and the client with a kit of a running sandbox and its webhooks' address. */
  test?(kit: string, webhookUrl: string): Promise<LanguageTests>;
}

/** How the example program is run; `missing` says why this machine cannot. */
export type Example =
  & { name: string }
  & (
    | { missing: string }
    /** With a kit, and the https address that it receives webhooks at. */
    | { command(kit: string, webhookUrl: string): Command }
  );

export interface LanguageTests {
  results: TestResult[];
  output: string;
}

/** What the example program shows. */
export const EXAMPLE = "the example buys gold once and receives the webhook";

/** A first build on a busy machine takes minutes; what takes longer hangs. */
const TIMEOUT_MS = 600_000;

/** Runs a program; what it printed, and whether it ended well. */
export async function runCommandOf(
  { command, args, cwd, env }: Command,
): Promise<{ ok: boolean; output: string; stdout: string }> {
  const end = await runProgram(command, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: TIMEOUT_MS,
  });
  const ending = end.exitCode === null ? `\nended after ${TIMEOUT_MS / 1000} s at the latest` : "";
  return { ok: end.exitCode === 0, output: end.stdout + end.stderr + ending, stdout: end.stdout };
}

/** Test results that a program wrote, or one failure when it ended badly without any. */
export function withEnd(results: TestResult[], end: { ok: boolean; output: string }): TestResult[] {
  const failed = results.some(({ outcome }) => outcome === "failed");
  if (results.length > 0 && (end.ok || failed)) return results;
  return [...results, { name: "the tests run", outcome: "failed", error: end.output }];
}
