import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { MAIN_CELL } from "@sabika/service/cells";
import type { Opened } from "@sabika/server";
import { findProgram } from "../../../tools/programs/find_program.ts";
import type { RunningPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { checkPort } from "../folders/check_port.ts";
import { watchSocket } from "../places.ts";
import {
  DELIVERY,
  type DeploymentPlan,
  exporterArguments,
  exporterEnvironment,
} from "../services.ts";
import type { StackDatabases } from "./databases.ts";
import type { Front } from "./front.ts";
import { createInstances } from "./instances.ts";
import { startRelay } from "./relay.ts";
import type { Restarts } from "./restarts.ts";
import type { ProcessPlan } from "./server_process.ts";
import type { StackFolders } from "./stack_folders.ts";

/** The settings of a stack's monitoring. */
export interface WatchSettings {
  /** Prometheus's port on 127.0.0.1; 0: any free one. */
  readonly port: number;
  /** For tests: scrapes every second, and returns the alert rules to use in place of `rules`. */
  readonly hurriedRules?: (rules: string) => string;
}

/** The parts of a stack that its monitoring uses. */
export interface WatchedParts {
  readonly plan: DeploymentPlan;
  /** The address of the list of what is read, as Prometheus's HTTP service discovery takes it. */
  readonly targetsUrl: string;
  readonly programs: WatchPrograms;
  readonly databases: StackDatabases;
  readonly restarts: Restarts;
  readonly folders: StackFolders;
  readonly progress: (line: string) => void;
}

/** The programs that watch a stack. */
export interface WatchPrograms {
  readonly exporter: string;
  readonly prometheus: string;
}

/** Finds, fetches or builds the programs, which may take a minute the first time. */
export async function findWatchPrograms(progress: (line: string) => void): Promise<WatchPrograms> {
  const exporter = await findProgram("postgres_exporter", progress);
  const prometheus = await findProgram("prometheus", progress);
  return { exporter: exporter.command, prometheus: prometheus.command };
}

/** Publishes the metrics of the instances and of Envoy, which are on Unix sockets, on a free port of 127.0.0.1. */
export async function publishMetrics(
  { places }: DeploymentPlan,
  front: Front,
  opened: Opened,
): Promise<string> {
  const relay = await startRelay(() => [
    ...[...front.listed(), DELIVERY].map((name) => ({
      job: "server",
      instance: name,
      path: "/metrics",
      socketPath: watchSocket(places, name),
    })),
    {
      job: "sidecar",
      instance: "sidecar",
      path: "/stats/prometheus",
      socketPath: front.envoy().adminSocket,
    },
  ]);
  opened.add(relay.close);
  return `${relay.url}/targets`;
}

const ALERTS = fileURLToPath(new URL("../../../docs/observability/alerts.yaml", import.meta.url));
const INTERVAL_SECONDS = 5;

/**
 * Starts an exporter for each database and a Prometheus that reads them, the instances and Envoy, with
 * the alerts of docs/observability.
 *
 * @returns Prometheus's address
 * @throws {StartError} when the port is taken or a program does not become ready
 */
export async function startObservability(
  settings: WatchSettings,
  { plan, targetsUrl, programs: found, databases, restarts, folders, progress }: WatchedParts,
  opened: Opened,
): Promise<string> {
  const { cells } = databases;
  const others = cells.size === 0 ? "" : `, and one for each of ${cells.size} cells`;
  progress(`Prometheus and the database's exporter${others}`);
  const port = await checkPort(settings.port);
  const folder = join(folders.logs, "..", "prometheus");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const plans = new Map<string, ProcessPlan>();
  const programs = createInstances({
    planOf: (name) => plans.get(name)!,
    logsFolder: folders.logs,
    restarts,
  });
  opened.add(() => programs.stopAll());
  const exporters: { at: string; labels: Record<string, string> }[] = [];
  for (const { name, uri, labels, folder: kept } of watchedDatabases(databases, folders)) {
    const at = `127.0.0.1:${await freePort()}`;
    exporters.push({ at, labels });
    const places = kept === undefined ? plan.places : { exporter: kept };
    plans.set(name, {
      program: found.exporter,
      args: exporterArguments(at),
      folder,
      environment: exporterEnvironment(places, uri),
      isReady: () => answers(`http://${at}/`),
    });
    await programs.start(name);
  }

  const { hurriedRules } = settings;
  const alerts = await readFile(ALERTS, "utf8");
  await writeFile(join(folder, "alerts.yaml"), hurriedRules?.(alerts) ?? alerts);
  const interval = `${hurriedRules === undefined ? INTERVAL_SECONDS : 1}s`;
  const configuration = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ["alerts.yaml"],
    scrape_configs: [
      {
        job_name: "stack",
        http_sd_configs: [{ url: targetsUrl, refresh_interval: interval }],
      },
      {
        job_name: "postgresql",
        static_configs: exporters.map(({ at, labels }) => ({ targets: [at], labels })),
      },
    ],
  };
  await writeFile(join(folder, "prometheus.yml"), stringify(configuration));
  const url = `http://127.0.0.1:${port}`;
  plans.set("prometheus", {
    program: found.prometheus,
    args: [
      "--config.file=prometheus.yml",
      "--storage.tsdb.path=data",
      "--log.level=warn",
      "--storage.tsdb.retention.time=7d",
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    folder,
    environment: {},
    isReady: () => answers(`${url}/-/ready`),
  });
  await programs.start("prometheus");
  return url;
}

/** Returns the exporters' names, what each connects to, and the folder of its password if not control's. */
function watchedDatabases(
  { control, cluster, cells }: StackDatabases,
  folders: StackFolders,
): { name: string; uri: string; labels: Record<string, string>; folder?: string }[] {
  const socketUri = ({ socketFolder, port }: RunningPostgreSQL) =>
    `/postgres?host=${encodeURIComponent(socketFolder)}&port=${port}&sslmode=disable`;
  const exporter = "postgres_exporter";
  const labels = { cell: MAIN_CELL };
  return [
    ...control === undefined ? [] : [{ name: exporter, uri: socketUri(control), labels }],
    ...cluster?.members.map(({ name: member, postgresql }) => ({
      name: `${exporter}-${member}`,
      uri: `127.0.0.1:${postgresql}/postgres?sslmode=disable`,
      labels: { ...labels, member },
    })) ?? [],
    ...Array.from(cells, ([cell, server]) => ({
      name: `${exporter}-${cell}`,
      uri: socketUri(server),
      labels: { cell },
      folder: join(folders.cells, cell),
    })),
  ];
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(({ ok }) => ok, () => false);
}
