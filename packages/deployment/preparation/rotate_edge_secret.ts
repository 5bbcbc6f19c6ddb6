import { writePrivateFile } from "@sabika/identity/keys";
import type { Surroundings } from "../surroundings.ts";
import { newSecret, readEdgeSecret } from "./deployment_secrets.ts";
import { placeFiles } from "../places.ts";
import type { PreparedDeployment } from "./prepare_deployment.ts";
import type { DeploymentPlan } from "../services.ts";
import { renewSidecarSet } from "./sidecar_set.ts";

/** Instances poll their file twice a second. */
const SEEN_BY_ALL_MS = 1_500;

/**
 * Changes the secret between the sidecar and the instances. Both are valid for a while: first the
 * instances learn the new one, then the sidecar sends it, then the old one is removed.
 */
export async function rotateEdgeSecret(
  plan: DeploymentPlan,
  prepared: Pick<PreparedDeployment, "database" | "deployment">,
  surroundings: Surroundings,
): Promise<void> {
  const file = placeFiles(plan.places).edgeSecrets;
  const old = await readEdgeSecret(plan.places);
  const next = newSecret(surroundings.random);
  const pause = () => new Promise((resolve) => setTimeout(resolve, SEEN_BY_ALL_MS));
  await writePrivateFile(file, `${old}\n${next}\n`);
  await pause();
  // The sidecar sends the first secret.
  await writePrivateFile(file, `${next}\n${old}\n`);
  await renewSidecarSet(plan, prepared, surroundings);
  await pause();
  await writePrivateFile(file, `${next}\n`);
}
