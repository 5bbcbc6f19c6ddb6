import { figures, isShown, type SummaryMetric } from "../lib/summary.ts";
import { escapeText, linePlot, type Plot } from "./line_plot.ts";
import type { Course, RunRecord } from "./read_record.ts";
import type { ServicePlot } from "./service_metrics.ts";
import type { RunResult } from "./sum_results.ts";

/** What a page says. */
export interface Report {
  /** Of all partners together. */
  result: RunResult;
  record: RunRecord;
  /** Their names. */
  partners: readonly string[];
  /** The service's own metrics; undefined where nobody was asked. */
  service: readonly ServicePlot[] | undefined;
}

/**
 * One page for a run: the question, the verdict, every threshold, and the course of rates and times,
 * with what the service said of itself meanwhile. It needs no script and asks no other host.
 */
export function renderReport({ result, record, partners, service }: Report): string {
  const judged = Object.entries(result.metrics).filter(([, metric]) => metric.thresholds);
  const verdicts = judged.flatMap(([, { thresholds }]) => Object.values(thresholds!));
  const failed = verdicts.filter(({ ok }) => !ok).length;
  const verdict = failed === 0
    ? `Yes: all ${verdicts.length} thresholds hold.`
    : `No: ${failed} of ${verdicts.length} thresholds failed.`;
  const seconds = (record.endedMs - record.startedMs) / 1_000;
  const plots = (title: string, note: string, all: readonly Omit<Plot, "seconds">[]) =>
    `<section><h2>${title}</h2><p>${note}</p>\n${
      all.map((plot) =>
        `<figure><figcaption>${escapeText(plot.title)}${
          plot.unit === "" ? "" : ` (${plot.unit})`
        }</figcaption>${linePlot({ ...plot, seconds })}</figure>`
      ).join("\n")
    }</section>`;
  const several = partners.length > 1
    ? " Counts are added up; of times, and in the plots of shares too, the worst partner's stands."
    : "";
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${
      escapeText(`${result.script}: ${verdict}`)
    }</title><style>${STYLE}</style></head><body>`,
    `<main><h1>${escapeText(result.script)}</h1>`,
    `<p class="question">${escapeText(result.question)}</p>`,
    `<p class="verdict ${failed === 0 ? "ok" : "failed"}">${verdict}</p>`,
    `<p>${new Date(record.startedMs).toISOString()}, ${seconds.toFixed(0)} s, ` +
    `${partners.length === 1 ? "partner" : "partners"} ${
      escapeText(partners.join(", "))
    }.${several}</p>`,
    thresholdTable(judged),
    plots("Rates", "What was done in each second.", ratePlots(record)),
    plots("Times", "Of what ended in each second.", timePlots(record)),
    service === undefined
      ? `<section><h2>The service</h2><p>Nobody was asked what the service measured: run the stack ` +
        `with <code>--watch</code> and name its Prometheus by <code>--prometheus</code>.</p></section>`
      : plots("The service", "Its own metrics, as its Prometheus has them.", service),
    otherTable(result),
    "</main></body></html>\n",
  ].join("\n");
}

function thresholdTable(judged: readonly [string, SummaryMetric][]): string {
  const rows = judged.flatMap(([name, metric]) =>
    Object.entries(metric.thresholds!).map(([text, { ok }]) =>
      `<tr><th scope="row">${escapeText(name)}</th><td>${escapeText(text)}</td>` +
      `<td>${escapeText(figures(metric))}</td>` +
      `<td class="${ok ? "ok" : "failed"}">${ok ? "holds" : "failed"}</td></tr>`
    )
  );
  return table("Thresholds", ["metric", "must be", "was", ""], rows);
}

function otherTable({ metrics }: RunResult): string {
  const rows = Object.entries(metrics).filter(([name, { thresholds }]) =>
    !thresholds && isShown(name)
  )
    .map(([name, metric]) =>
      `<tr><th scope="row">${escapeText(name)}</th><td>${escapeText(figures(metric))}</td></tr>`
    );
  return table("Other figures", ["metric", "was"], rows);
}

function table(title: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((text) => text === "" ? "<td></td>" : `<th scope="col">${text}</th>`);
  return `<section><h2>${title}</h2><table><thead><tr>${head.join("")}</tr></thead>` +
    `<tbody>\n${rows.join("\n")}\n</tbody></table></section>`;
}

/** What k6 counts for itself beside what our scripts count. */
const RATES = ["iterations", "http_reqs", "dropped_iterations"];

function ratePlots({ metrics }: RunRecord): Omit<Plot, "seconds">[] {
  const counters = [...metrics].filter(([name, { type }]) =>
    type === "counter" && (RATES.includes(name) || isShown(name))
  );
  const shares = [...metrics].filter(([name, { type }]) => type === "rate" && isShown(name));
  return [
    { title: "Done", unit: "a second", lines: counters.map((counter) => lineOf(counter, "rate")) },
    { title: "Shares", unit: "%", lines: shares.map((share) => lineOf(share, "rate", 100)) },
  ].filter(({ lines }) => lines.length > 0);
}

function timePlots({ metrics }: RunRecord): Omit<Plot, "seconds">[] {
  return [...metrics]
    .filter(([name, { type, contains }]) =>
      type === "trend" && contains === "time" && isShown(name)
    )
    .map(([name, course]) => ({
      title: name,
      unit: "ms",
      lines: ["p(99)", "p(95)", "med"].map((key) => ({
        ...lineOf([name, course], key),
        name: key,
      })),
    }));
}

function lineOf([name, { bySecond }]: readonly [string, Course], key: string, factor = 1) {
  const points = [...bySecond].sort(([one], [other]) => one - other)
    .map(([second, values]) => [second, (values[key] ?? 0) * factor] as const);
  return { name, points };
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1b1f; --faint: #5b5b66; --paper: #fff; --line: #dcdce2;
  --ok: #176b34; --failed: #a11b1b }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf1; --faint: #a9a9b6; --paper: #16161a;
  --line: #35353d; --ok: #63c98a; --failed: #ff8f8f } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem }
h1 { margin: 0; font-size: 1.4rem } h2 { margin: 2rem 0 .4rem; font-size: 1.1rem }
.question { font-size: 1.2rem; margin: .3rem 0 } .verdict { font-size: 1.2rem; font-weight: 600 }
.ok { color: var(--ok) } .failed { color: var(--failed); font-weight: 600 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; font-weight: 400; padding: .3rem .8rem .3rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line) }
thead th { color: var(--faint) }
figure { margin: 1rem 0 } svg { width: 100%; height: auto; font: 12px system-ui, sans-serif }
svg text { fill: var(--faint) } .grid { stroke: var(--line) }
`.trim();
