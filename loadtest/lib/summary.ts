/** A metric as k6 passes it to handleSummary(). */
export interface SummaryMetric {
  type: "counter" | "gauge" | "rate" | "trend";
  contains: string;
  values: Record<string, number>;
  thresholds?: Record<string, { ok: boolean }>;
}

/** The part of handleSummary()'s argument that is used. */
export interface SummaryData {
  metrics: Record<string, SummaryMetric>;
  state?: { testRunDurationMs: number };
}

/** Formats the end of a run: the question, the figures, and the verdict of each threshold. */
export function summaryText(script: string, question: string, data: SummaryData): string {
  const names = Object.keys(data.metrics).filter(isShown).sort();
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.flatMap((name) => {
    const metric = data.metrics[name]!;
    const verdicts = Object.entries(metric.thresholds ?? {})
      .map(([text, { ok }]) => `      ${ok ? "ok    " : "FAILED"} ${text}`);
    return [`  ${name.padEnd(width)}  ${figures(metric)}`, ...verdicts];
  });
  const failed = names.some((name) =>
    Object.values(data.metrics[name]!.thresholds ?? {}).some(({ ok }) => !ok)
  );
  const verdict = failed ? "no: a threshold failed" : "yes: every threshold holds";
  return ["", `${script}: ${question}`, "", ...lines, "", `  ${verdict}`, ""].join("\n");
}

/** Makes the result of handleSummary(): text for the terminal, JSON for programs. */
export function summarise(
  script: string,
  question: string,
  data: SummaryData,
  jsonFile: string,
): Record<string, string> {
  const json = { script, question, ...data };
  return {
    stdout: summaryText(script, question, data),
    [jsonFile]: JSON.stringify(json, undefined, 2) + "\n",
  };
}

const HIDDEN =
  /^(data_|http_req_(blocked|connecting|receiving|sending|tls_handshaking|waiting)|vus)|expected_response/;
const ORDER = ["avg", "min", "med", "p(90)", "p(95)", "p(99)", "max", "value"];

/** Returns whether a metric is shown; k6's other metrics would only hide the important ones. */
export function isShown(name: string): boolean {
  return !HIDDEN.test(name);
}

/** Formats a metric's values for people. */
export function figures({ type, contains, values }: SummaryMetric): string {
  const unit = contains === "time" ? " ms" : "";
  if (type === "rate") {
    const { rate = 0, passes = 0, fails = 0 } = values;
    return `${short(rate * 100)} %  (${passes} of ${passes + fails})`;
  }
  if (type === "counter") {
    return `${short(values.count ?? 0)}  (${short(values.rate ?? 0)} a second)`;
  }
  return ORDER.filter((name) => values[name] !== undefined)
    .map((name) => `${name} ${short(values[name]!)}${unit}`).join("  ");
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
