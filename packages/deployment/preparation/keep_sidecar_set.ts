import type { Surroundings } from "../surroundings.ts";
import type { PreparedDeployment } from "./prepare_deployment.ts";
import type { DeploymentPlan } from "../services.ts";
import { renewSidecarSet } from "./sidecar_set.ts";

const EVERY_MS = 5_000;

/**
 * Keeps the sidecar's secrets as the register says: a revoked certificate comes onto its list
 * within seconds, lists and server certificate are renewed before their end. (The service itself
 * refuses a revoked certificate within a second, on open connections too.)
 */
export function keepSidecarSet(
  plan: DeploymentPlan,
  prepared: Pick<PreparedDeployment, "database" | "deployment">,
  surroundings: Surroundings,
  report: (line: string) => void,
): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known: { revoked: string; renewAtMs: number } | undefined;
  let running: Promise<void> = Promise.resolve();
  const poll = async () => {
    try {
      const found = await renewSidecarSet(plan, prepared, surroundings, known);
      if (found.handedOver && known !== undefined) report("new secrets handed to the sidecar");
      known = found;
    } catch (error) {
      if (!isStopped) {
        report(`the sidecar's secrets could not be renewed: ${(error as Error).message}`);
      }
    }
    if (!isStopped) timer = setTimeout(() => running = poll(), EVERY_MS);
  };
  timer = setTimeout(() => running = poll(), EVERY_MS);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
