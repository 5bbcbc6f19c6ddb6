import { stringify } from "yaml";

/**
 * Where a job's targets are: listed, or one for each cell, by its name and so labelled; or, because they
 * come and go, asked for by HTTP, or all addresses of names.
 */
export type Targets =
  | { readonly at: readonly string[] }
  | { readonly ofCells: Readonly<Record<string, string>> }
  | { readonly askedAt: string }
  | { readonly named: readonly string[]; readonly port: number };

/** What a Prometheus that watches a deployment reads. */
export interface WatchPlan {
  /** Seconds between two scrapes, and between two looks at the alerts. */
  readonly intervalSeconds: number;
  /** The file of the alerts, from the folder of the configuration or absolute. */
  readonly rulesFile: string;
  /** By the name that their `job` label has; those that are asked for have labels of their own. */
  readonly jobs: Readonly<Record<string, Targets>>;
  /** Where metrics are read when it is not `/metrics`, by job. */
  readonly paths?: Readonly<Record<string, string>>;
}

/** The text of prometheus.yml. */
export function prometheusConfiguration(plan: WatchPlan): string {
  const interval = `${plan.intervalSeconds}s`;
  return stringify({
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: [plan.rulesFile],
    scrape_configs: Object.entries(plan.jobs).map(([name, targets]) => ({
      job_name: name,
      ...(plan.paths?.[name] === undefined ? {} : { metrics_path: plan.paths[name] }),
      ...discovery(targets, interval),
    })),
  });
}

function discovery(targets: Targets, interval: string): object {
  if ("at" in targets) return { static_configs: [{ targets: targets.at }] };
  if ("ofCells" in targets) {
    const found = Object.entries(targets.ofCells);
    return { static_configs: found.map(([cell, at]) => ({ targets: [at], labels: { cell } })) };
  }
  if ("askedAt" in targets) {
    return { http_sd_configs: [{ url: targets.askedAt, refresh_interval: interval }] };
  }
  const { named: names, port } = targets;
  return { dns_sd_configs: [{ names, type: "A", port, refresh_interval: interval }] };
}
