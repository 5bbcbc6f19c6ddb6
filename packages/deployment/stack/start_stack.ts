import { join } from "node:path";
import { writePrivateFile } from "@sabika/identity/keys";
import type { Environment } from "@sabika/protocol";
import { type Opened, openParts } from "@sabika/server";
import type { RunningEnvoy } from "@sabika/sidecar";
import type { RunningPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { checkPort } from "../folders/check_port.ts";
import { type DataFolder, openDataFolder } from "../folders/data_folder.ts";
import { prepareCells } from "../preparation/cells.ts";
import { makeSecrets } from "../preparation/deployment_secrets.ts";
import { keepSidecarSet } from "../preparation/keep_sidecar_set.ts";
import { prepareDatabase } from "../preparation/prepare_database.ts";
import { prepareDeployment } from "../preparation/prepare_deployment.ts";
import { rotateEdgeSecret } from "../preparation/rotate_edge_secret.ts";
import { DELIVERY, type DeploymentPlan, sidecarSettings } from "../services.ts";
import type { Surroundings } from "../surroundings.ts";
import { type Cluster, findClusterPrograms } from "./cluster.ts";
import {
  cellsOf,
  checkKind,
  type DatabaseSettings,
  type StackDatabases,
  startDatabases,
} from "./databases.ts";
import { type StackFirewall, startFirewall } from "./firewall.ts";
import { startFront } from "./front.ts";
import { createInstances, serverPlanOf } from "./instances.ts";
import { endLeftOver } from "./left_over.ts";
import { findOfficePort, officePlan, type StackOffice, startStackOffice } from "./office.ts";
import { changesOf } from "./change_instances.ts";
import { createRestarts } from "./restarts.ts";
import { openStackFolders, type StackFolders } from "./stack_folders.ts";
import {
  findWatchPrograms,
  publishMetrics,
  startObservability,
  type WatchSettings,
} from "./observability.ts";

/** The settings of a stack (Decision D46), which is a sandbox unless `environment` says otherwise. */
export interface StackSettings extends DatabaseSettings {
  /** The folder of everything that the stack writes. */
  dataFolder: string;
  instances: number;
  partners: number;
  /** Envoy's port on 127.0.0.1; 0: any free one. */
  port: number;
  environment?: Environment;
  /**
   * The operator's office on 127.0.0.1; without it there is none. Port 0: any free one; when it is left
   * out, the one that goes with `port`, or any free one if that is taken.
   */
  office?: { port?: number | undefined };
  /** Prometheus with the alerts, and an exporter for each database; without it neither is started. */
  watch?: WatchSettings | undefined;
  /** Whether to put this machine's firewall in front of Envoy, which requires root's rights. */
  firewall?: boolean;
  /** The folder of a build that the instances run; the repository's source when left out. */
  built?: string;
  /** For tests: returns more environment variables for an instance's name. */
  moreEnvironment?: (name: string) => Record<string, string>;
}

/** A running stack, and the operations on it. */
export interface Stack {
  readonly baseUrl: string;
  /** The kits' folders, in the order of the partners. */
  readonly kits: readonly string[];
  readonly databaseUrl: string;
  /** The PostgreSQL server of control, unless it is a cluster. */
  readonly postgresql: RunningPostgreSQL | undefined;
  readonly cluster: Cluster | undefined;
  /** The PostgreSQL servers of the cells beside control's, by the cells' names. */
  readonly cells: ReadonlyMap<string, RunningPostgreSQL>;
  readonly sidecarFolder: string;
  /** Envoy's statistics and readiness over HTTP. */
  readonly watchUrl: string;
  /** The operator's office, when the stack has one. */
  readonly office: StackOffice | undefined;
  /** This machine's firewall, when it stands in front. */
  readonly firewall: StackFirewall | undefined;
  /** The list of the parts' metrics, as Prometheus's HTTP service discovery takes it. */
  readonly targetsUrl: string;
  /** Prometheus's address, when the stack is watched. */
  readonly prometheusUrl: string | undefined;
  /** The instances' names and process ids. */
  instances(): readonly { name: string; pid: number }[];
  /** The process that delivers webhooks; undefined while it is started again. */
  delivery(): { name: string; pid: number } | undefined;
  sidecar(): RunningEnvoy;
  /** Restarts every instance and the delivery of webhooks, one after the other, without a failed request. */
  rollingRestart(): Promise<void>;
  /** Ends an instance with SIGKILL; its socket stays listed. `startInstance` starts it again. */
  killInstance(name: string): Promise<void>;
  startInstance(name: string): Promise<void>;
  /** Ends Envoy with SIGKILL; `startSidecar` starts it again on the same port. */
  killSidecar(): Promise<void>;
  startSidecar(): Promise<void>;
  /** Changes the secret between sidecar and instances without a failed request. */
  rotateEdgeSecret(): Promise<void>;
  stop(): Promise<void>;
}

/** Database connections of each instance. */
const DATABASE_CONNECTIONS = 8;
/** With `--ha` (Decision D121). */
const STANDBY_LAG_SECONDS = 10;
/** Long enough that Envoy has let go of an instance before it closes its listener. */
const DRAIN_SECONDS = 1;

/**
 * Starts the production shape on this machine (Decision D46): a durable PostgreSQL, instances of the
 * service on Unix sockets, and Envoy in front.
 *
 * @throws {StartError} with one line that says what to do; Error when a part does not come up
 */
export function startStack(settings: StackSettings, surroundings: Surroundings): Promise<Stack> {
  return openParts((opened) => start(settings, surroundings, opened));
}

async function start(
  settings: StackSettings,
  surroundings: Surroundings,
  opened: Opened,
): Promise<Stack> {
  const { progress = () => {} } = settings;
  const port = await checkPort(settings.port);
  const officePort = settings.office && await findOfficePort(settings.office.port, settings.port);
  // Before anything runs: to build one takes a while, and may fail.
  const programs = settings.watch && await findWatchPrograms(progress);
  const clusterPrograms = settings.ha && await findClusterPrograms();
  const { data, folders } = await openFolders(settings.dataFolder, opened, progress);
  await checkKind(settings, folders);
  const cells = await cellsOf(folders, settings.cells);
  const plan = planOf(settings, { port, officePort, cells }, folders);

  await makeSecrets(plan.places, surroundings);
  const restarts = createRestarts(progress);
  const databases = await startDatabases(
    cells,
    { settings, folders, restarts, random: surroundings.random, clusterPrograms },
    opened,
  );
  opened.add(() => restarts.end());
  const migrations = await migrate(plan, databases, folders, surroundings);
  const prepared = await prepareDeployment(plan, settings.partners, surroundings);
  opened.add(() => prepared.database.close());
  progress(`migrations (${migrations.length} applied), authority, partners, vault`);

  const { built } = settings;
  const processParts = { logsFolder: folders.logs, restarts, built };
  const startParts = { ...processParts, planOf: serverPlanOf(plan, settings.moreEnvironment) };
  const instances = createInstances(startParts);
  opened.add(() => instances.stopAll());
  progress(`${plan.instances.length} instance(s) of the service`);
  const delivery = createInstances(startParts);
  opened.add(() => delivery.stopAll());
  await Promise.all([
    ...plan.instances.map((name) => instances.start(name)),
    delivery.start(DELIVERY),
  ]);

  progress(settings.firewall ? "Envoy in front, and the firewall before it" : "Envoy in front");
  const { now } = surroundings;
  const sidecar = sidecarSettings(plan, {
    listen: `127.0.0.1:${port}`,
    watch: "127.0.0.1:0",
    accessLog: join(folders.logs, "access.log"),
    tlsLog: join(folders.logs, "tls.log"),
  });
  const front = await startFront({ plan, settings: sidecar, restarts, now });
  opened.add(() => front.stop());
  const firewall = settings.firewall ? await startFirewall(sidecar, opened) : undefined;
  const reload = firewall && (() => firewall.load());
  const keeper = keepSidecarSet(plan, sidecar, prepared, surroundings, progress, reload);
  opened.add(() => keeper.stop());
  await front.list(front.listed());

  const office = plan.office && await startStackOffice(
    plan.office,
    { plan, prepared, progress, ...processParts },
    surroundings,
    opened,
  );
  const targetsUrl = await publishMetrics(plan, front, opened);
  const prometheusUrl = settings.watch && programs &&
    await startObservability(
      settings.watch,
      { plan, targetsUrl, programs, databases, restarts, folders, progress },
      opened,
    );

  await writePrivateFile(data.baseUrlFile, `${plan.baseUrl}\n`);
  return {
    baseUrl: plan.baseUrl,
    kits: prepared.kits,
    databaseUrl: databases.controlUrl,
    postgresql: databases.control,
    cluster: databases.cluster,
    cells: databases.cells,
    sidecarFolder: plan.places.sidecar,
    get watchUrl() {
      return `http://127.0.0.1:${front.envoy().watchPort}`;
    },
    office,
    firewall,
    targetsUrl,
    prometheusUrl,
    instances: () => instances.running(),
    delivery: () => delivery.running()[0],
    sidecar: () => front.envoy(),
    ...changesOf(instances, front, delivery),
    killSidecar: () => front.kill(),
    startSidecar: () => front.start(),
    rotateEdgeSecret: () => rotateEdgeSecret(plan, prepared, surroundings),
    stop: opened.close,
  };
}

async function openFolders(
  dataFolder: string,
  opened: Opened,
  progress: (line: string) => void,
): Promise<{ data: DataFolder; folders: StackFolders }> {
  const data = await openDataFolder(dataFolder);
  opened.add(data.release);
  const leftOver = await endLeftOver(data.path);
  if (leftOver > 0) progress(`ended ${leftOver} process(es) of a stack that was killed`);
  const folders = await openStackFolders(data);
  opened.add(folders.release);
  return { data, folders };
}

function planOf(
  settings: StackSettings,
  { port, officePort, cells }: {
    port: number;
    officePort: number | undefined;
    cells: readonly string[];
  },
  { places }: StackFolders,
): DeploymentPlan {
  const { environment = "sandbox" } = settings;
  return {
    environment,
    baseUrl: `https://127.0.0.1:${port}`,
    instances: Array.from({ length: settings.instances }, (_, n) => `server-${n + 1}`),
    databaseConnections: DATABASE_CONNECTIONS,
    drainSeconds: DRAIN_SECONDS,
    ...(officePort === undefined ? {} : { office: officePlan(environment, officePort) }),
    cells,
    ...(settings.ha && { standbyLagSeconds: STANDBY_LAG_SECONDS }),
    places,
  };
}

/** @returns the migrations that were applied to control's database */
async function migrate(
  plan: DeploymentPlan,
  { controlUrl, cellUrls }: StackDatabases,
  folders: StackFolders,
  surroundings: Surroundings,
): Promise<string[]> {
  const migrations = await prepareDatabase(plan, controlUrl, surroundings);
  if (cellUrls.size === 0) return migrations;
  const places = { controlUrl, superuserUrls: cellUrls, folder: folders.cells };
  await prepareCells(plan, places, surroundings);
  return migrations;
}
