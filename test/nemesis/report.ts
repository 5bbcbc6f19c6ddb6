import { describeViolation, kindOf, type Violation } from "./checker.ts";
import { memoryRow } from "./memory.ts";
import { describeStrike, type RunResult } from "./run.ts";
import type { Slice } from "./slices.ts";
import type { Struck } from "./strikes.ts";

const SHOWN_KINDS = 20;

/** The end of a run, for people. */
export function resultLines(result: RunResult): string[] {
  const { operations, struck, unknown, checks, deliveries, violations, seconds } = result;
  return [
    "",
    "| fault | times | whole again after: median | longest |",
    "|---|---|---|---|",
    ...recoveries(struck).map(({ name, times, median, longest }) =>
      `| ${name} | ${times} | ${median} | ${longest} |`
    ),
    "",
    "| memory, MiB | lived | at first | ¼ | ½ | ¾ | at last | most |",
    "|---|---|---|---|---|---|---|---|",
    ...result.lives.map(memoryRow),
    "",
    ...Object.entries(result.counts).sort().map(([name, n]) => `${String(n).padStart(9)} ${name}`),
    "",
    ...result.leftOut.map((what) => `left out: ${what}`),
    ...violationLines(violations),
    `${operations} calls (${unknown} unknown at first), ${struck.length} faults, ${checks} ` +
    `checks, ${deliveries} deliveries in ${seconds.toFixed(0)} s ` +
    `(${(operations / seconds).toFixed(0)} calls a second) with seed ` +
    `${result.options.seed}: ${violations.length} violations` +
    (result.isInterrupted ? ", interrupted: what was under way then is not judged" : ""),
  ];
}

/** Each kind of violation, with the shortest history that shows it. */
function violationLines(violations: readonly Violation[]): string[] {
  const kinds = new Map<string, Violation[]>();
  for (const one of violations) {
    const kind = kindOf(one);
    const alike = kinds.get(kind);
    if (alike === undefined) kinds.set(kind, [one]);
    else alike.push(one);
  }
  return [...kinds].slice(0, SHOWN_KINDS).map(([kind, alike]) => {
    const histories = alike.filter(({ calls }) => calls.length > 0);
    const [shortest = alike[0]!] = histories.toSorted((a, b) => a.calls.length - b.calls.length);
    return `${alike.length} × ${kind}\n${describeViolation(shortest)}`;
  });
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
  const { options, operations, unknown, struck, checks, seconds, violations } = result;
  const longest = Math.max(0, ...struck.map(({ recoveredMs }) => recoveredMs ?? Infinity));
  const cells = [
    ...[date, commit, options.seed, options.cells, operations, unknown, struck.length, checks],
    ...[`${seconds.toFixed(0)} s`, `${(longest / 1_000).toFixed(1)} s`, violations.length],
  ];
  return `| ${cells.join(" | ")} |`;
}

/** A slice in a report of its own: its result and all of its faults. */
export function sliceLines({ number, seed, came }: Slice, date: string, commit: string): string[] {
  const heading = ["", `## ${date}, ${commit}: slice ${number}, seed ${seed}`, ""];
  if (came instanceof Error) return [...heading, `Broke off: ${came.stack ?? came.message}`];
  const struck = came.struck.map((one) => `- fault ${describeStrike(one)}`);
  return [...heading, reportRow(came, date, commit), "", ...struck, ...resultLines(came)];
}

/** What all slices came to together. */
export function totalLine(slices: readonly Slice[]): string {
  const results = slices.flatMap(({ came }) => came instanceof Error ? [] : [came]);
  const sum = (of: (result: RunResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const struck = results.flatMap((result) => result.struck);
  const longest = Math.max(0, ...struck.map(({ recoveredMs }) => recoveredMs ?? Infinity));
  return `${slices.length} slices: ${sum(({ operations }) => operations)} calls, ` +
    `${struck.length} faults, ${sum(({ deliveries }) => deliveries)} deliveries in ` +
    `${(sum(({ seconds }) => seconds) / 60).toFixed(0)} min, longest recovery ` +
    `${(longest / 1_000).toFixed(1)} s, ${
      sum(({ violations }) => violations.length)
    } violations, ` +
    `${slices.length - results.length} broken off`;
}
