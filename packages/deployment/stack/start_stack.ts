import { join } from "node:path";
import { writePrivateFile } from "@sabika/core/partners";
import type { Environment } from "@sabika/protocol";
import { readStats, runEnvoy, type RunningEnvoy, writeInstances } from "@sabika/sidecar";
import { findEnvoy } from "../../../tools/programs/find_envoy.ts";
import { type RunningPostgreSQL, runPostgreSQL } from "../../../tools/programs/run_postgresql.ts";
import { checkPort } from "../folders/check_port.ts";
import { openDataFolder } from "../folders/data_folder.ts";
import type { Surroundings } from "../surroundings.ts";
import { makeSecrets } from "../preparation/deployment_secrets.ts";
import { keepSidecarSet } from "../preparation/keep_sidecar_set.ts";
import { endLeftOver } from "./left_over.ts";
import { instanceSocket, placeFiles } from "../places.ts";
import { prepareDeployment } from "../preparation/prepare_deployment.ts";
import { rotateEdgeSecret } from "../preparation/rotate_edge_secret.ts";
import { type ServerProcess, startServer } from "./server_process.ts";
import {
  type DeploymentPlan,
  POSTGRESQL_SETTINGS,
  serverEnvironment,
  sidecarSettings,
} from "../services.ts";
import { openStackFolders } from "./stack_folders.ts";

/** What can be chosen about a stack (Decision D46). */
export interface StackSettings {
  /** Everything that it writes is in here. */
  dataFolder: string;
  instances: number;
  partners: number;
  /** Where Envoy listens on 127.0.0.1; 0: any free one. */
  port: number;
  environment?: Environment;
  /** How many connections each instance has to the database; 8 when left out. */
  databaseConnections?: number;
  /** Told what is being done, a line each. */
  progress?: (line: string) => void;
}

/** A stack that serves, and what can be done to it. */
export interface Stack {
  readonly baseUrl: string;
  readonly partnersFolder: string;
  /** The kits' folders, in the order of the partners. */
  readonly kits: readonly string[];
  readonly databaseUrl: string;
  readonly postgresql: RunningPostgreSQL;
  readonly sidecarFolder: string;
  /** Envoy's statistics and readiness over HTTP. */
  readonly watchUrl: string;
  /** The instances' names and process ids. */
  instances(): readonly { name: string; pid: number }[];
  sidecar(): RunningEnvoy;
  /** Restarts every instance, one after the other, without a failed request. */
  rollingRestart(): Promise<void>;
  addInstance(): Promise<string>;
  removeInstance(name: string): Promise<void>;
  /** SIGKILL; its socket stays on the sidecar's list, as after a crash. `startInstance` starts it again. */
  killInstance(name: string): Promise<void>;
  startInstance(name: string): Promise<void>;
  /** SIGKILL to Envoy; `startSidecar` starts it again on the same port. */
  killSidecar(): Promise<void>;
  startSidecar(): Promise<void>;
  /** Changes the secret between sidecar and instances without a failed request. */
  rotateEdgeSecret(): Promise<void>;
  stop(): Promise<void>;
}

/** Long enough that Envoy has let go of an instance before it closes its door. */
const DRAIN_SECONDS = 1;
const PATIENCE_MS = 20_000;

/**
 * Starts the production shape on this machine (Decision D46): a durable PostgreSQL, instances of the
 * service on Unix sockets, and Envoy in front.
 *
 * @throws {StartError} with one line that says the way out; Error when a part does not come up
 */
export async function startStack(
  settings: StackSettings,
  surroundings: Surroundings,
): Promise<Stack> {
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    for (let one = opened.pop(); one !== undefined; one = opened.pop()) await one();
  };
  try {
    return await start(settings, surroundings, opened, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  settings: StackSettings,
  surroundings: Surroundings,
  opened: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<Stack> {
  const { progress = () => {}, environment = "sandbox" } = settings;
  const { now } = surroundings;
  const port = await checkPort(settings.port);
  const baseUrl = `https://127.0.0.1:${port}`;
  const data = await openDataFolder(settings.dataFolder);
  opened.push(data.release);
  const leftOver = await endLeftOver(data.path);
  if (leftOver > 0) progress(`ended ${leftOver} process(es) of a stack that was killed`);
  const folders = await openStackFolders(data);
  opened.push(folders.release);
  const { places } = folders;
  const plan: DeploymentPlan = {
    environment,
    baseUrl,
    instances: Array.from({ length: settings.instances }, (_, n) => `server-${n + 1}`),
    databaseConnections: settings.databaseConnections ?? 8,
    drainSeconds: DRAIN_SECONDS,
    places,
  };

  await makeSecrets(places, surroundings);
  progress("PostgreSQL, durable");
  const postgresql = await runPostgreSQL({
    durable: true,
    folder: folders.postgresql,
    settings: { ...POSTGRESQL_SETTINGS },
  });
  opened.push(() => postgresql.stop());
  await writePrivateFile(placeFiles(places).databaseUrl, `${postgresql.socketUrl}\n`);

  const prepared = await prepareDeployment(plan, settings.partners, surroundings);
  const { kits, migrations } = prepared;
  opened.push(() => prepared.database.close());
  progress(`migrations (${migrations.length} applied), authority, partners, vault`);

  const servers = new Map<string, ServerProcess>();
  /** Starts under way that nobody else waits for; whoever stops all waits for them first. */
  const restarts = new Set<Promise<void>>();
  const restart = (line: string, start: () => Promise<void>) => {
    progress(`${line}: it is started again`);
    const done = start().catch((error: Error) => progress(error.message))
      .finally(() => restarts.delete(done));
    restarts.add(done);
  };
  const startOne = async (name: string) => {
    const log = join(folders.logs, `${name}.log`);
    const server = await startServer(name, serverEnvironment(plan, name), log);
    servers.set(name, server);
    // As a container's engine does, for what nobody stopped.
    void server.ended.then(() => {
      if (servers.get(name) !== server) return;
      servers.delete(name);
      restart(`${name} ended by itself (${log})`, () => startOne(name));
    });
  };
  opened.push(async () => {
    await Promise.all(restarts);
    const running = [...servers.values()];
    servers.clear();
    await Promise.all(running.map((server) => server.stop()));
  });
  progress(`${plan.instances.length} instance(s) of the service`);
  await Promise.all(plan.instances.map(startOne));

  progress("Envoy in front");
  const program = await findEnvoy();
  const forSidecar = sidecarSettings(plan, {
    listen: `127.0.0.1:${port}`,
    watch: "127.0.0.1:0",
    accessLog: join(folders.logs, "access.log"),
    tlsLog: join(folders.logs, "tls.log"),
  });
  let listed = [...plan.instances];
  let lists = 0;
  const asInstances = () =>
    listed.map((name) => ({ address: `unix:${instanceSocket(places, name)}` }));
  let envoy!: RunningEnvoy;
  /** Whether an end of Envoy's is nobody's wish. */
  let isEnvoyWanted = true;
  const startEnvoy = async () => {
    isEnvoyWanted = true;
    const started = envoy = await runEnvoy(
      program,
      { ...forSidecar, instances: asInstances() },
      now(),
    );
    void started.ended.then(() => {
      if (!isEnvoyWanted || envoy !== started) return;
      restart(`Envoy ended by itself (${places.sidecar}/envoy.log)`, startEnvoy);
    });
  };
  await startEnvoy();
  opened.push(async () => {
    await Promise.all(restarts);
    isEnvoyWanted = false;
    await envoy.stop();
  });
  const keeper = keepSidecarSet(plan, prepared, surroundings, progress);
  opened.push(() => keeper.stop());

  /** Gives the sidecar a new list and waits until as many of it are ready for Envoy. */
  const list = async (names: string[]) => {
    listed = names;
    await writeInstances(places.sidecar, asInstances(), `${now()}-${lists++}`);
    await until(async () => {
      const stats = await readStats(envoy.adminSocket, "^cluster.service.membership_");
      const total = stats.get("cluster.service.membership_total");
      const healthy = stats.get("cluster.service.membership_healthy");
      return total === names.length && healthy === names.length;
    });
  };
  await list(listed);

  const stack: Stack = {
    baseUrl,
    partnersFolder: places.partners,
    kits,
    databaseUrl: postgresql.socketUrl,
    postgresql,
    sidecarFolder: places.sidecar,
    get watchUrl() {
      return `http://127.0.0.1:${envoy.watchPort}`;
    },
    instances: () => [...servers.values()].map(({ name, pid }) => ({ name, pid })),
    sidecar: () => envoy,
    async addInstance() {
      const name = `server-${nextNumber([...servers.keys(), ...listed])}`;
      await startOne(name);
      await list([...listed, name]);
      return name;
    },
    async removeInstance(name) {
      // First off the list, so that nothing new comes; then it drains and ends.
      await list(listed.filter((one) => one !== name));
      const server = servers.get(name);
      servers.delete(name);
      await server?.stop();
    },
    async rollingRestart() {
      for (const name of [...listed]) {
        if (listed.length === 1) {
          // Alone, it stays until another is there.
          await stack.addInstance();
          await stack.removeInstance(name);
        } else {
          const names = [...listed];
          await stack.removeInstance(name);
          await startOne(name);
          await list(names);
        }
      }
    },
    async killInstance(name) {
      const server = servers.get(name);
      servers.delete(name);
      await server?.kill();
    },
    async startInstance(name) {
      await startOne(name);
      await list(listed.includes(name) ? listed : [...listed, name]);
    },
    killSidecar() {
      isEnvoyWanted = false;
      return envoy.kill();
    },
    startSidecar: startEnvoy,
    rotateEdgeSecret: () => rotateEdgeSecret(plan, prepared, surroundings),
    stop: close,
  };
  await writePrivateFile(data.baseUrlFile, `${baseUrl}\n`);
  return stack;
}

function nextNumber(names: readonly string[]): number {
  return 1 + Math.max(0, ...names.map((name) => Number(name.slice("server-".length))));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!await holds()) {
    if (performance.now() > end) throw new Error("the sidecar does not see its instances ready");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
