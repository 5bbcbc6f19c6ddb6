import { readFile } from "node:fs/promises";
import { type Database, openDatabase } from "@sabika/database";
import { type KeyService, openKeys, readKeyService } from "@sabika/identity/secrets";
import { type Deployment, openDeployment } from "@sabika/service/deployment";
import { verifySchema } from "@sabika/service/schema";
import { storeAddresses } from "@sabika/sidecar";
import type { Env } from "@sabika/terms/settings";
import { placeFiles } from "../places.ts";
import type { DeploymentPlan } from "../services.ts";
import type { Surroundings } from "../surroundings.ts";
import { readRegisteredPartners } from "./sidecar_addresses.ts";
import { renewSidecarSet } from "./sidecar_set.ts";

/** A deployment's register, opened with the operator's role. */
export interface OpenedRegister {
  database: Database;
  deployment: Deployment;
}

/**
 * Opens a deployment that people have set up (`sabika migrate`, `sabika authority`), and writes the
 * sidecar's first set of secrets and addresses. It makes no authority, no partner, no price and no gold.
 *
 * The caller closes the database, which is opened with the operator's role.
 *
 * @param env names a key service, as for a server; the master keys are in the deployment's file
 * @throws Error with one line when there are no authorities, or the schema is another release's
 */
export async function openRegister(
  plan: DeploymentPlan,
  { now, random }: Surroundings,
  env: Env,
): Promise<OpenedRegister> {
  const { places, environment } = plan;
  const { database, keys } = await openAsOperator(plan, { now, random }, env);
  try {
    const deployment = await openDeployment({ database, keys, environment, nowMs: now(), random });
    await renewSidecarSet(plan, { database, deployment }, { now, random });
    await storeAddresses(places.sidecar, await readRegisteredPartners(database));
    return { database, deployment };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the database with the operator's role, and the keys of its secrets. @throws for another schema */
export async function openAsOperator(
  { places, environment }: DeploymentPlan,
  { now, random }: Surroundings,
  env: Env = {},
): Promise<{ database: Database; keys: KeyService }> {
  const files = placeFiles(places);
  const { kms, masterKeys, reloadMasterKeys: reload } = await readKeyService(
    { ...env, SABIKA_MASTER_KEY_FILE: files.masterKey },
    environment,
  );
  const url = (await readFile(files.databaseUrl, "utf8")).trim();
  const database = openDatabase(url, { maxConnections: 2, applicationName: "sabika-stack" });
  try {
    await verifySchema(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return { database, keys: openKeys({ kms, masterKeys, reload, now, random }) };
}
