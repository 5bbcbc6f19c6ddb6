import type { SummaryData, SummaryMetric } from "../lib/summary.ts";

/** The JSON summary that each script writes. */
export interface RunResult extends SummaryData {
  script: string;
  question: string;
}

/**
 * Combines the results of several partners' runs of one script, which ran at the same time.
 *
 * Counts and rates per second are added; shares are weighted by their counts. Times are those of the
 * slowest partner: the p99 over all requests is never above the largest p99 of a run. A threshold holds
 * if it held for every partner.
 *
 * @throws RangeError if there are no results
 */
export function sumResults(results: readonly RunResult[]): RunResult {
  const [first] = results;
  if (first === undefined) throw new RangeError("no results to add up");
  const metrics: Record<string, SummaryMetric> = {};
  for (const name of new Set(results.flatMap((result) => Object.keys(result.metrics)))) {
    metrics[name] = sumMetric(
      results.flatMap((result) => result.metrics[name] === undefined ? [] : [result.metrics[name]]),
    );
  }
  const longest = Math.max(...results.map((result) => result.state?.testRunDurationMs ?? 0));
  return { ...first, state: { testRunDurationMs: longest }, metrics };
}

function sumMetric(parts: readonly SummaryMetric[]): SummaryMetric {
  const { type, contains } = parts[0]!;
  const names = Object.keys(parts[0]!.values);
  const values = Object.fromEntries(names.map((name) => [
    name,
    combine(type, name, parts.map((part) => part.values[name] ?? 0)),
  ]));
  if (type === "rate") {
    const { passes = 0, fails = 0 } = values;
    values.rate = passes + fails === 0 ? 0 : passes / (passes + fails);
  }
  const thresholds: Record<string, { ok: boolean }> = {};
  for (const part of parts) {
    for (const [text, { ok }] of Object.entries(part.thresholds ?? {})) {
      thresholds[text] = { ok: ok && (thresholds[text]?.ok ?? true) };
    }
  }
  const judged = Object.keys(thresholds).length > 0;
  return { type, contains, values, ...(judged ? { thresholds } : {}) };
}

function combine(type: SummaryMetric["type"], name: string, values: readonly number[]): number {
  if (type === "counter" || type === "rate" || type === "gauge") {
    return values.reduce((sum, value) => sum + value, 0);
  }
  return name === "min" ? Math.min(...values) : Math.max(...values);
}
