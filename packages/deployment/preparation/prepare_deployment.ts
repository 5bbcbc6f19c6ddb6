import { join } from "node:path";
import { mkdir } from "node:fs/promises";
import { rootFile } from "@sabika/identity/certificates";
import { writePrivateFile } from "@sabika/identity/keys";
import { openOwnDeployment } from "@sabika/service/deployment";
import { setPriceOrigin } from "@sabika/service/prices";
import { storeAddresses } from "@sabika/sidecar";
import { readdressKits } from "../folders/kits.ts";
import type { Surroundings } from "../surroundings.ts";
import { placeFiles } from "../places.ts";
import type { DeploymentPlan } from "../services.ts";
import { addCells, openAdminCells } from "./cells.ts";
import { openAsOperator, type OpenedRegister } from "./open_register.ts";
import { readRegisteredPartners } from "./sidecar_addresses.ts";
import { renewSidecarSet } from "./sidecar_set.ts";
import { openPartners, STACK, stackAdminContext } from "./stack_partners.ts";

/** 400 riyals a gram, the stack's fixed price in production, where no price is simulated. */
const FIXED_PRICE_TEN_THOUSANDTHS = 4_000_000n;

/** A deployment that is ready to be started. */
export interface PreparedDeployment extends OpenedRegister {
  /** The kits' folders, in the order of the partners. */
  kits: string[];
}

/**
 * Prepares what instances and sidecar need to start, in a database that `prepareDatabase` made: authorities,
 * vault, this number of partners with their kits, and the sidecar's set of secrets and addresses. What exists
 * stays, so it may run before every start.
 *
 * The caller closes the database, which is opened with the operator's role.
 */
export async function prepareDeployment(
  plan: DeploymentPlan,
  partners: number,
  surroundings: Surroundings,
): Promise<PreparedDeployment> {
  const { places, environment, baseUrl } = plan;
  const { now, random } = surroundings;
  const files = placeFiles(places);
  const { database, keys } = await openAsOperator(plan, surroundings);
  try {
    const deployment = await openOwnDeployment({
      database,
      keys,
      environment,
      nowMs: now(),
      random,
      root: rootFile(files.root),
      actor: STACK,
    });
    const cells = await openAdminCells(plan);
    const admin = { ...stackAdminContext({ ...deployment, database, now, random }), cells };
    if (environment === "production") {
      await setPriceOrigin(admin, {
        source: "fixed",
        midTenThousandths: FIXED_PRICE_TEN_THOUSANDTHS,
      });
    }
    await mkdir(places.authority, { recursive: true, mode: 0o755 });
    await writePrivateFile(files.authority, deployment.authorities.root.pem);
    await writePrivateFile(
      join(places.authority, "client-ca.crt"),
      deployment.authorities.clientCaPem,
    );
    await addCells(admin, plan);
    const kits = await openPartners(admin, plan, partners).finally(() => cells.close());
    await readdressKits(places.partners, baseUrl);
    await renewSidecarSet(plan, { database, deployment }, surroundings);
    await storeAddresses(places.sidecar, await readRegisteredPartners(database));
    return { database, deployment, kits };
  } catch (error) {
    await database.close();
    throw error;
  }
}
