import {
  readStats,
  runEnvoy,
  type RunningEnvoy,
  type SidecarSettings,
  writeInstances,
} from "@sabika/sidecar";
import { setBatchPolicy } from "../../../tools/programs/batch_policy.ts";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { instanceSocket } from "../places.ts";
import type { DeploymentPlan } from "../services.ts";
import type { Restarts } from "./restarts.ts";

/** Envoy in front of the instances, and the list of those that it forwards to. */
export interface Front {
  envoy(): RunningEnvoy;
  /** The names of the instances that Envoy forwards to. */
  listed(): readonly string[];
  /** Gives Envoy a new list, and waits up to 20 s until Envoy finds each instance on it ready. */
  list(names: readonly string[]): Promise<void>;
  start(): Promise<void>;
  /** Ends Envoy with SIGKILL; only `start` starts it again. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** The parts of the stack that the front uses. */
export interface FrontParts {
  plan: DeploymentPlan;
  settings: SidecarSettings;
  restarts: Restarts;
  /** Epoch milliseconds. */
  now: () => number;
}

const PATIENCE_MS = 20_000;

/** Starts Envoy with the plan's instances; it is started again when it ends by itself. */
export async function startFront(parts: FrontParts): Promise<Front> {
  const { plan, settings, restarts, now } = parts;
  const { places } = plan;
  const program = (await findProgram("envoy")).command;
  let listed: readonly string[] = plan.instances;
  let lists = 0;
  const addresses = () =>
    listed.map((name) => ({ address: `unix:${instanceSocket(places, name)}` }));
  let envoy!: RunningEnvoy;
  let isWanted = true;
  const start = async () => {
    isWanted = true;
    const started = envoy = await runEnvoy(program, { ...settings, instances: addresses() }, now());
    await setBatchPolicy(started.pid);
    void started.ended.then(() => {
      if (!isWanted || envoy !== started) return;
      restarts.again(`Envoy ended by itself (${places.sidecar}/envoy.log)`, start);
    });
  };
  await start();
  return {
    envoy: () => envoy,
    listed: () => listed,
    async list(names) {
      listed = names;
      await writeInstances(places.sidecar, addresses(), `${now()}-${lists++}`);
      await untilAllReady(() => envoy.adminSocket, names.length);
    },
    start,
    kill() {
      isWanted = false;
      return envoy.kill();
    },
    async stop() {
      await restarts.end();
      isWanted = false;
      await envoy.stop();
    },
  };
}

async function untilAllReady(adminSocket: () => string, count: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (true) {
    const stats = await readStats(adminSocket(), "^cluster.service.membership_");
    const total = stats.get("cluster.service.membership_total");
    const healthy = stats.get("cluster.service.membership_healthy");
    if (total === count && healthy === count) return;
    if (performance.now() > end) throw new Error("the sidecar does not see its instances ready");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
