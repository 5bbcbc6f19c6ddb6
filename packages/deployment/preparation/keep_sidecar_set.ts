import type { SidecarSettings } from "@sabika/sidecar";
import type { Surroundings } from "../surroundings.ts";
import type { PreparedDeployment } from "./prepare_deployment.ts";
import type { DeploymentPlan } from "../services.ts";
import { renewSidecarAddresses } from "./sidecar_addresses.ts";
import { renewSidecarSet } from "./sidecar_set.ts";

const EVERY_MS = 5_000;

/**
 * Keeps the sidecar up to date with the register: a revoked certificate is on its list within seconds,
 * lists and server certificate are renewed before they expire, and a partner's addresses have its
 * share of connections. (The service itself refuses a revoked certificate, or an address that is
 * not the partner's, within a second, on open connections too.)
 *
 * @param onAddresses called when the sidecar has new addresses
 */
export function keepSidecarSet(
  plan: DeploymentPlan,
  sidecar: SidecarSettings,
  prepared: Pick<PreparedDeployment, "database" | "deployment">,
  surroundings: Surroundings,
  report: (line: string) => void,
  onAddresses: () => Promise<void> = async () => {},
): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known: { revoked: string; renewAtMs: number } | undefined;
  let addresses: string | undefined;
  let running: Promise<void> = Promise.resolve();
  const attempt = async (what: string, renew: () => Promise<void>) => {
    await renew().catch((error: Error) => {
      if (!isStopped) report(`the sidecar's ${what} could not be renewed: ${error.message}`);
    });
  };
  const poll = async () => {
    await attempt("secrets", async () => {
      const found = await renewSidecarSet(plan, prepared, surroundings, known);
      if (found.handedOver && known !== undefined) report("new secrets handed to the sidecar");
      known = found;
    });
    await attempt("addresses", async () => {
      const found = await renewSidecarAddresses(
        sidecar,
        prepared.database,
        surroundings.now,
        addresses,
      );
      if (found !== addresses) await onAddresses();
      if (addresses !== undefined && found !== addresses) report("addresses handed to the sidecar");
      addresses = found;
    });
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
