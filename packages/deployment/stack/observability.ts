import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { MAIN_CELL } from "@sabika/service/cells";
import type { Opened } from "@sabika/server";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { freePort } from "../../../tools/programs/free_port.ts";
import { inheritedMark } from "../../../tools/programs/marked_processes.ts";
import { endProcess } from "../../../tools/programs/own_process.ts";
import { checkPort } from "../folders/check_port.ts";
import { watchSocket } from "../places.ts";
import {
  DELIVERY,
  type DeploymentPlan,
  exporterArguments,
  exporterEnvironment,
} from "../services.ts";
import { StartError } from "../start_error.ts";
import { hurriedRules } from "./hurried_rules.ts";
import type { StackDatabases } from "./databases.ts";
import type { Front } from "./front.ts";
import { startRelay } from "./relay.ts";
import type { Restarts } from "./restarts.ts";
import type { StackFolders } from "./stack_folders.ts";

/** How a stack is watched. */
export interface WatchSettings {
  /** Prometheus's port on 127.0.0.1; 0: any free one. */
  readonly port: number;
  /** For tests: scrapes every second, and each time in the alerts is shorter by this factor. */
  readonly hurry?: number;
}

/** What of the stack is watched. */
export interface WatchedParts {
  readonly plan: DeploymentPlan;
  readonly front: Front;
  readonly databases: StackDatabases;
  readonly restarts: Restarts;
  readonly folders: StackFolders;
  readonly progress: (line: string) => void;
}

const ALERTS = fileURLToPath(
  new URL("../../../docs/observability/alerts.yaml", import.meta.url),
);
const INTERVAL_SECONDS = 5;
const PATIENCE_MS = 30_000;

/**
 * Starts an exporter for each database and a Prometheus that reads them, the instances and Envoy, with
 * the alerts of docs/observability.
 *
 * @returns Prometheus's address
 * @throws {StartError} when a program cannot be had here, or does not come up
 */
export async function startObservability(
  settings: WatchSettings,
  { plan, front, databases, restarts, folders, progress }: WatchedParts,
  opened: Opened,
): Promise<string> {
  const { control, cells } = databases;
  const others = cells.size === 0 ? "" : `, and one for each of ${cells.size} cells`;
  progress(`Prometheus and the database's exporter${others}`);
  const port = await checkPort(settings.port);
  const folder = join(folders.logs, "..", "prometheus");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const relay = await startRelay(() => [
    ...[...front.listed(), DELIVERY].map((name) => ({
      job: "server",
      instance: name,
      path: "/metrics",
      socketPath: watchSocket(plan.places, name),
    })),
    {
      job: "sidecar",
      instance: "sidecar",
      path: "/stats/prometheus",
      socketPath: front.envoy().adminSocket,
    },
  ]);
  opened.add(relay.close);

  const keep = keeper(folders.logs, folder, restarts, opened);
  const exporters: [cellId: string, address: string][] = [];
  const exporter = await findProgram("postgres_exporter", progress);
  for (const [cellId, { socketFolder, port }] of [[MAIN_CELL, control], ...cells] as const) {
    const at = `127.0.0.1:${await freePort()}`;
    exporters.push([cellId, at]);
    const uri = `/postgres?host=${encodeURIComponent(socketFolder)}&port=${port}&sslmode=disable`;
    const isControl = cellId === MAIN_CELL;
    await keep(
      isControl ? "postgres_exporter" : `postgres_exporter-${cellId}`,
      exporter.command,
      exporterArguments(at),
      exporterEnvironment(isControl ? plan.places : { exporter: join(folders.cells, cellId) }, uri),
    );
  }

  const { hurry } = settings;
  const alerts = await readFile(ALERTS, "utf8");
  await writeFile(
    join(folder, "alerts.yaml"),
    hurry === undefined ? alerts : hurriedRules(alerts, hurry),
  );
  const interval = `${hurry === undefined ? INTERVAL_SECONDS : 1}s`;
  const configuration = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ["alerts.yaml"],
    scrape_configs: [
      {
        job_name: "stack",
        http_sd_configs: [{ url: `${relay.url}/targets`, refresh_interval: interval }],
      },
      {
        job_name: "postgresql",
        static_configs: exporters.map(([cell, at]) => ({ targets: [at], labels: { cell } })),
      },
    ],
  };
  await writeFile(join(folder, "prometheus.yml"), stringify(configuration));
  const prometheus = await findProgram("prometheus");
  await keep("prometheus", prometheus.command, [
    ...["--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=warn"],
    ...["--storage.tsdb.retention.time=7d", `--web.listen-address=127.0.0.1:${port}`],
  ], {});
  const url = `http://127.0.0.1:${port}`;
  await untilReady(`${url}/-/ready`, join(folders.logs, "prometheus.log"));
  return url;
}

/** Starts programs that are started again when they end by themselves, and end with the stack. */
function keeper(logs: string, cwd: string, restarts: Restarts, opened: Opened) {
  return async function keep(
    name: string,
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    let isWanted = true;
    let end = () => Promise.resolve();
    const start = async () => {
      const log = openSync(join(logs, `${name}.log`), "a", 0o600);
      const child = spawn(program, args, {
        cwd,
        detached: true,
        stdio: ["ignore", log, log],
        env: { PATH: process.env.PATH, TZ: "UTC", ...inheritedMark(), ...environment },
      });
      closeSync(log);
      await once(child, "spawn");
      end = () => endProcess(child, "SIGTERM");
      child.once("exit", () => {
        if (isWanted) restarts.again(`${name} ended by itself (${logs}/${name}.log)`, start);
      });
    };
    await start();
    opened.add(async () => {
      isWanted = false;
      await restarts.end();
      await end();
    });
  };
}

async function untilReady(url: string, log: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new StartError(`Prometheus does not start (see ${log})`);
}
