import type { RunResult } from "./run.ts";
import { describeViolation } from "./checker.ts";
import type { Struck } from "./strikes.ts";

const SHOWN_VIOLATIONS = 10;

/** The end of a run, for people. */
export function resultLines(result: RunResult): string[] {
  const { operations, struck, unknown, snapshots, deliveries, violations, seconds } = result;
  const shown = violations.toSorted((a, b) => a.calls.length - b.calls.length)
    .filter((one) => one.calls.length > 0 || violations.every(({ calls }) => calls.length === 0))
    .slice(0, SHOWN_VIOLATIONS);
  return [
    "",
    "| fault | times | whole again after: median | longest |",
    "|---|---|---|---|",
    ...recoveries(struck).map(({ name, times, median, longest }) =>
      `| ${name} | ${times} | ${median} | ${longest} |`
    ),
    "",
    ...Object.entries(result.counts).sort().map(([name, n]) => `${String(n).padStart(9)} ${name}`),
    "",
    ...result.leftOut.map((what) => `left out: ${what}`),
    ...shown.map(describeViolation),
    `${operations} calls (${unknown} unknown at first), ${struck.length} faults, ${snapshots} ` +
    `snapshots, ${deliveries} deliveries in ${seconds.toFixed(0)} s with seed ` +
    `${result.options.seed}: ${violations.length} violations`,
  ];
}

interface Recovery {
  readonly name: string;
  readonly times: number;
  readonly median: string;
  readonly longest: string;
}

/** Recovery by kind of fault; of two at once, by both. */
function recoveries(struck: readonly Struck[]): Recovery[] {
  const kinds = new Map<string, number[]>();
  for (const { strike, recoveredMs } of struck) {
    for (const name of strike.names) {
      kinds.set(name, [...kinds.get(name) ?? [], recoveredMs ?? Infinity]);
    }
  }
  return [...kinds].sort().map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const seconds = (ms: number) => Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : "never";
    return {
      name,
      times: all.length,
      median: seconds(sorted[Math.floor(sorted.length / 2)]!),
      longest: seconds(sorted.at(-1)!),
    };
  });
}

/** The run's row in the table of runs of `docs/faults.md`. */
export function reportRow(result: RunResult, date: string, commit: string): string {
  const { options, operations, unknown, struck, snapshots, seconds, violations } = result;
  const longest = Math.max(0, ...struck.map(({ recoveredMs }) => recoveredMs ?? Infinity));
  const cells = [
    ...[date, commit, options.seed, operations, unknown, struck.length, snapshots],
    ...[`${seconds.toFixed(0)} s`, `${(longest / 1_000).toFixed(1)} s`, violations.length],
  ];
  return `| ${cells.join(" | ")} |`;
}
