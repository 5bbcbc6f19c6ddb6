import type { PlotLine } from "./line_plot.ts";

/** What a Prometheus that watches the service said during a run, for one plot. */
export interface ServicePlot {
  title: string;
  unit: string;
  lines: PlotLine[];
}

/** What is asked; each series of an answer is a line, named by its `label`. */
const QUESTIONS = [
  {
    title: "Answers by status",
    unit: "a second",
    label: "status",
    query: "sum by (status) (rate(sabika_http_requests_total[10s]))",
  },
  {
    title: "Time in the server, p99",
    unit: "ms",
    label: "route",
    query: "1000 * histogram_quantile(0.99, sum by (route, le) " +
      "(rate(sabika_http_request_duration_seconds_bucket[10s])))",
  },
  {
    title: "Writes that wait for the next batch",
    unit: "",
    label: "instance",
    query: "sabika_queue_depth",
  },
  {
    title: "Age of the oldest event that is not delivered",
    unit: "s",
    label: "instance",
    query: "max(sabika_outbox_lag_seconds)",
  },
  {
    title: "Memory",
    unit: "MB",
    label: "instance",
    query: "sabika_process_resident_memory_bytes / 1e6",
  },
] as const;

interface Answer {
  status: string;
  error?: string;
  data: { result: { metric: Record<string, string>; values: [number, string][] }[] };
}

/**
 * Asks a Prometheus for the course of the service's own metrics during a run.
 *
 * @param prometheus its base URL, such as `http://127.0.0.1:9090`
 * @throws {Error} when it does not answer, or refuses a question
 */
export async function askPrometheus(
  prometheus: string,
  { startedMs, endedMs }: { startedMs: number; endedMs: number },
  fetch: typeof globalThis.fetch,
): Promise<ServicePlot[]> {
  return await Promise.all(QUESTIONS.map(async ({ title, unit, label, query }) => {
    const url = new URL("api/v1/query_range", prometheus.replace(/\/*$/, "/"));
    const step = Math.max(1, Math.ceil((endedMs - startedMs) / 1_000 / 600));
    const asked = { query, start: startedMs / 1_000, end: endedMs / 1_000, step };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, String(value));
    const answer = await (await fetch(url)).json() as Answer;
    if (answer.status !== "success") throw new Error(`Prometheus: ${answer.error}`);
    const lines = answer.data.result.map(({ metric, values }) => ({
      name: metric[label] ?? "all",
      points: values.map(([time, value]) => [time - startedMs / 1_000, Number(value)] as const)
        .filter(([, value]) => Number.isFinite(value)),
    }));
    return { title, unit, lines: lines.sort((a, b) => a.name.localeCompare(b.name, "en")) };
  }));
}
