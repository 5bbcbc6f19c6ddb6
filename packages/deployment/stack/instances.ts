import { join } from "node:path";
import { type DeploymentPlan, serverEnvironment } from "../services.ts";
import type { Restarts } from "./restarts.ts";
import { type ServerProcess, startServer } from "./server_process.ts";

/** The stack's instances of the service, by name. */
export type Instances = ReturnType<typeof createInstances>;

/**
 * Keeps the instances of a stack; their lines go to a file each in `logsFolder`; they run a build in
 * `built`, if given, with what `moreEnvironment` has for their name.
 */
export function createInstances({ plan, logsFolder, restarts, built, moreEnvironment }: {
  plan: DeploymentPlan;
  logsFolder: string;
  restarts: Restarts;
  built?: string | undefined;
  moreEnvironment?: ((name: string) => Record<string, string>) | undefined;
}) {
  const servers = new Map<string, ServerProcess>();
  const start = async (name: string) => {
    const log = join(logsFolder, `${name}.log`);
    const environment = { ...serverEnvironment(plan, name), ...moreEnvironment?.(name) };
    const server = await startServer(name, environment, log, built);
    servers.set(name, server);
    void server.ended.then(() => {
      if (servers.get(name) !== server) return;
      servers.delete(name);
      restarts.again(`${name} ended by itself (${log})`, () => start(name));
    });
  };
  /** Who is taken out of the list first is not started again. */
  const take = (name: string) => {
    const server = servers.get(name);
    servers.delete(name);
    return server;
  };
  return {
    running: () => [...servers.values()].map(({ name, pid }) => ({ name, pid })),
    /** Starts an instance; from then on it is started again when it ends by itself. */
    start,
    /** Lets it drain, then it ends. */
    stop: async (name: string) => await take(name)?.stop(),
    /** SIGKILL. */
    kill: async (name: string) => await take(name)?.kill(),
    async stopAll() {
      await restarts.end();
      await Promise.all([...servers.keys()].map((name) => take(name)!.stop()));
    },
  };
}
