/** What came of a case: it holds, it does not, or this sandbox cannot show it. */
export type CaseResult = "holds" | "fails" | "not_run";

/** A case in the report. */
export interface ReportedCase {
  readonly number: number;
  readonly chapter: string;
  readonly title: string;
  readonly holds: string;
  readonly result: CaseResult;
  /** What was seen instead; null if it holds. */
  readonly seen: string | null;
  readonly duration_ms: number;
}

/** The report of a rehearsal, as it is written. */
export interface Report {
  readonly partner: string;
  readonly environment: "sandbox";
  readonly base_url: string;
  /** The program that was rehearsed. */
  readonly integration: string;
  readonly began_at: string;
  readonly ended_at: string;
  readonly cases: readonly ReportedCase[];
}

const RESULTS: Readonly<Record<CaseResult, string>> = {
  holds: "holds",
  fails: "FAILS",
  not_run: "not run",
};

/** Counts the results, in words. */
export function summaryOf(cases: readonly ReportedCase[]): string {
  const count = (result: CaseResult) =>
    cases.filter((reported) => reported.result === result).length;
  const others = (["fails", "not_run"] as const).filter((result) => count(result) > 0)
    .map((result) => `, ${count(result)} ${RESULTS[result]}`);
  return `${count("holds")} of ${cases.length} cases hold${others.join("")}`;
}

/** Makes the report's page, one HTML file without other resources. */
export function reportPage(report: Report): string {
  const { partner, base_url, integration, began_at, ended_at, cases } = report;
  const seconds = Math.round((Date.parse(ended_at) - Date.parse(began_at)) / 1_000);
  const rows = cases.map((reported) => {
    const { number, chapter, title, holds, result, seen } = reported;
    const found = seen === null ? RESULTS[result] : `${RESULTS[result]}: ${seen}`;
    return `<tr class="${result}">${
      [String(number), chapter, title, holds, found].map((text) => `<td>${escaped(text)}</td>`)
        .join("")
    }</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Rehearsal of ${escaped(partner)}</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 2em; max-width: 70em }
td, th { text-align: left; vertical-align: top; padding: .2em .8em .2em 0; border-bottom: 1px solid #ccc }
.fails td { font-weight: bold; color: #a00 }
.not_run td { color: #666 }
</style>
<h1>Rehearsal of ${escaped(partner)}</h1>
<p><strong>${escaped(summaryOf(cases))}.</strong>
<p>${escaped(integration)} at ${escaped(base_url)}, ${escaped(began_at)}, ${seconds} seconds.
<table>
<tr><th>Case</th><th>Of</th><th>What happens</th><th>What must hold</th><th>Result</th></tr>
${rows.join("\n")}
</table>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
