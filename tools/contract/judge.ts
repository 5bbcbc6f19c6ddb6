import type { ClientsSandbox } from "../clients/sandbox.ts";
import type { TestResult } from "../testing/read_results.ts";

/** A stranger who judges the contract: a program that knows nothing of this repository. */
export interface Judge {
  /** As it is named on the command line. */
  name: string;
  /**
   * Fetches what it needs.
   *
   * @param scratch an empty folder; removed afterwards
   * @throws Error with the reason when this machine cannot have it
   */
  prepare(scratch: string): Promise<PreparedJudge>;
}

/** Judges a running sandbox and docs/openapi.json; `output` is searched for secrets. */
export type PreparedJudge = (
  sandbox: ClientsSandbox,
) => Promise<{ results: TestResult[]; output: string }>;

/** One result of a program that ended. */
export function resultOf(name: string, end: { ok: boolean; output: string }): TestResult {
  return end.ok
    ? { name, outcome: "passed" }
    : { name, outcome: "failed", error: end.output.slice(-6000) };
}
