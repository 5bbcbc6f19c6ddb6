import { describeViolation, kindOf, type Violation } from "../support/history/checker.ts";
import type { RunResult } from "./run.ts";
import { describeStrike } from "./strikes.ts";

const SHOWN_KINDS = 20;

/** Formats the result of a run as lines for people. */
export function resultLines(result: RunResult): string[] {
  const {
    operations,
    struck,
    unknown,
    checks,
    statements,
    decisions,
    vaultCounts,
    deliveries,
    violations,
    seconds,
  } = result;
  return [
    "",
    ...struck.map((strike) => `- fault ${describeStrike(strike)}`),
    "",
    ...Object.entries(result.counts).sort().map(([name, n]) => `${String(n).padStart(9)} ${name}`),
    "",
    ...result.leftOut.map((what) => `left out: ${what}`),
    ...violationLines(violations),
    `${operations} calls (${unknown} unknown at first), ${struck.length} faults, ${checks} ` +
    `checks, ${statements} statements, ${decisions} decisions, ${vaultCounts} counts of the vault, ` +
    `${deliveries} deliveries in ${seconds.toFixed(0)} s with seed ` +
    `${result.options.seed}; longest recovery ${longestRecovery(result)}: ` +
    `${violations.length} violations` +
    (result.isInterrupted ? ", interrupted: what was under way then is not judged" : ""),
  ];
}

/** Formats each kind of violation with the shortest history that shows it. */
function violationLines(violations: readonly Violation[]): string[] {
  const kinds = new Map<string, Violation[]>();
  for (const violation of violations) {
    const kind = kindOf(violation);
    kinds.set(kind, [...kinds.get(kind) ?? [], violation]);
  }
  return [...kinds].slice(0, SHOWN_KINDS).map(([kind, alike]) => {
    const histories = alike.filter(({ calls }) => calls.length > 0);
    const [shortest = alike[0]!] = histories.toSorted((a, b) => a.calls.length - b.calls.length);
    return `${alike.length} × ${kind}\n${describeViolation(shortest)}`;
  });
}

function longestRecovery({ struck }: RunResult): string {
  const longest = Math.max(0, ...struck.map(({ recoveredMs }) => recoveredMs ?? Infinity));
  return `${(longest / 1_000).toFixed(1)} s`;
}

/** Formats the run as a row for the table of runs in `docs/faults.md`. */
export function reportRow(result: RunResult, date: string, commit: string): string {
  const { options, operations, unknown, struck, checks, seconds, violations } = result;
  const cells = [
    date,
    commit,
    options.seed,
    options.ha ? "--ha" : options.cells,
    operations,
    unknown,
    struck.length,
    checks,
    `${seconds.toFixed(0)} s`,
    longestRecovery(result),
    violations.length,
  ];
  return `| ${cells.join(" | ")} |`;
}
