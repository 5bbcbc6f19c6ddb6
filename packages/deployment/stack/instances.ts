import { join } from "node:path";
import { askAdmin } from "@sabika/sidecar";
import { type DeploymentPlan, SERVER_PROGRAM, serverEnvironment } from "../services.ts";
import type { Restarts } from "./restarts.ts";
import { type ProcessPlan, type ServerProcess, startServer } from "./server_process.ts";

/** The stack's instances of the service, by name. */
export interface Instances {
  running(): { name: string; pid: number }[];
  /** Starts an instance; from then on it is started again when it ends by itself. */
  start(name: string): Promise<void>;
  /** Like `start`, but tries again until the instance has started or the stack ends. */
  startUntilReady(name: string): Promise<void>;
  /** Lets an instance drain and end. */
  stop(name: string): Promise<void>;
  /** Ends an instance with SIGKILL. */
  kill(name: string): Promise<void>;
  stopAll(): Promise<void>;
}

/**
 * Runs the instances of a stack. Each logs to its own file in `logsFolder`. They run the build in `built`,
 * or the repository's source when it is left out.
 */
export function createInstances({ planOf, logsFolder, restarts, built }: {
  /** The plan of the process with a name. */
  planOf: (name: string) => ProcessPlan;
  logsFolder: string;
  restarts: Restarts;
  built?: string | undefined;
}): Instances {
  const servers = new Map<string, ServerProcess>();
  const start = async (name: string) => {
    const log = join(logsFolder, `${name}.log`);
    const server = await startServer(name, planOf(name), log, built);
    servers.set(name, server);
    void server.ended.then(() => {
      if (servers.get(name) !== server) return;
      servers.delete(name);
      restarts.again(`${name} ended by itself (${log})`, () => start(name));
    });
  };
  /** An instance that is removed before it ends is not started again. */
  const take = (name: string) => {
    const server = servers.get(name);
    servers.delete(name);
    return server;
  };
  return {
    running: () => [...servers.values()].map(({ name, pid }) => ({ name, pid })),
    start,
    startUntilReady: (name) => restarts.until(() => start(name)),
    stop: async (name) => await take(name)?.stop(),
    kill: async (name) => await take(name)?.kill(),
    async stopAll() {
      await restarts.end();
      await Promise.all([...servers.keys()].map((name) => take(name)!.stop()));
    },
  };
}

/** Plans an instance of the service; `moreEnvironment` returns more variables for a name. */
export function serverPlanOf(
  plan: DeploymentPlan,
  moreEnvironment?: (name: string) => Record<string, string>,
): (name: string) => ProcessPlan {
  return (name) => {
    const environment = { ...serverEnvironment(plan, name), ...moreEnvironment?.(name) };
    const address = environment.SABIKA_LISTEN ?? environment.SABIKA_WATCH_LISTEN!;
    return {
      program: SERVER_PROGRAM,
      environment,
      async isReady() {
        const socketPath = address.slice("unix:".length);
        const answer = await askAdmin(socketPath, "/ready").catch(() => undefined);
        return answer?.status === 200;
      },
    };
  };
}
