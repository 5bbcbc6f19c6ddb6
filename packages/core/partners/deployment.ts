import type { Environment } from "@sabika/protocol";
import type { Database, Sql } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { deployment, tokenKeys } from "../store/schema/mod.ts";
import { type Authorities, openAuthorities } from "./certificates/authorities.ts";
import { createSecrets, type Secrets } from "./secrets/create_secrets.ts";
import type { KeyService } from "./secrets/key_service.ts";
import { ensureTokenKey } from "./token_keys.ts";

/** The data format that this version writes; a newer one is refused (Decision D44). */
export const DATA_VERSION = 1;

/** What whoever administers starts from: the sandbox, the keeper and the operator's command. */
export interface Deployment {
  environment: Environment;
  secrets: Secrets;
  authorities: Authorities;
}

interface Options {
  database: Database;
  keys: KeyService;
  environment: Environment;
  nowMs: number;
  random: (length: number) => Uint8Array;
}

/** The database belongs to another deployment; the message says in one line what to do. */
export class DeploymentError extends Error {
  override name = "DeploymentError";
}

/**
 * Opens the deployment in a migrated database, for whoever administers it. The first call fixes its
 * environment and makes its hashing key, its authorities and its token key; later ones check them
 * (Decision D40).
 *
 * @throws DeploymentError when the database is of the other environment or of a newer version
 * @throws Error when the keys do not open what the database holds
 */
export async function openDeployment(options: Options): Promise<Deployment> {
  const { environment, database: { sql } } = options;
  if (await findDeployment(sql) === undefined) {
    await drizzle(sql).insert(deployment)
      .values({ environment, dataVersion: DATA_VERSION }).onConflictDoNothing();
  }
  checkDeployment(await findDeployment(sql), environment);
  const secrets = await createSecrets(options);
  const authorities = await openAuthorities({ ...options, secrets });
  await ensureTokenKey({ ...options, secrets });
  return { environment, secrets, authorities };
}

/**
 * Opens the secrets of a deployment that was opened before, which is all that a server needs: it
 * certifies nobody. Writes nothing (Decision D48).
 *
 * @throws DeploymentError when the database is of none, of the other environment or of a newer version
 * @throws Error when the keys do not open what the database holds
 */
export async function openSecrets(options: Options): Promise<Secrets> {
  const { environment, database: { sql } } = options;
  const found = await findDeployment(sql);
  // The token key is the last that `openDeployment` makes.
  const isWhole = await drizzle(sql).$count(tokenKeys) > 0;
  checkDeployment(isWhole ? found : undefined, environment);
  return await createSecrets(options);
}

function checkDeployment(
  found: typeof deployment.$inferSelect | undefined,
  environment: Environment,
): void {
  if (found === undefined) {
    throw new DeploymentError(
      "this database has no keys and no partners yet: `sabika partner create` makes them",
    );
  }
  if (found.environment !== environment) {
    throw new DeploymentError(
      `this database belongs to ${found.environment}, not to ${environment}: give another one`,
    );
  }
  if (found.dataVersion > DATA_VERSION) {
    throw new DeploymentError(
      `this data was written by a newer version (${found.dataVersion}): update, or use another folder`,
    );
  }
}

/** The deployment that a migrated database belongs to; undefined before it was first opened. */
async function findDeployment(sql: Sql): Promise<typeof deployment.$inferSelect | undefined> {
  const [row] = await drizzle(sql).select().from(deployment);
  return row;
}
