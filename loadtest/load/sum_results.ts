import type { SummaryData, SummaryMetric } from "../lib/summary.ts";

/** The JSON that each script writes. */
export interface RunResult extends SummaryData {
  script: string;
  question: string;
}

/**
 * Adds up what several partners' runs of one script found.
 *
 * Counts add up, and so do their rates a second, as the runs were at the same time; shares are
 * weighed by their counts. Of times the worst partner's stands: the p99 over all requests is never
 * above the largest p99 of a part, so the sum promises nothing that was not seen. A threshold holds
 * when it held for every partner.
 *
 * @param results of one script, at least one
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
