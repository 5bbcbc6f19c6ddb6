import type { Environment } from "@sabika/protocol";
import type { Database } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { deployment } from "../store/schema/mod.ts";
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
 * Opens the secrets in a migrated database, which is all that a server needs: it certifies nobody.
 * The first start fixes the environment and makes the hashing key and the token key; later starts
 * check them (Decision D40).
 *
 * @throws DeploymentError when the database is of the other environment or of a newer version
 * @throws Error when the keys do not open what the database holds
 */
export async function openSecrets(options: Options): Promise<Secrets> {
  const { environment } = options;
  await drizzle(options.database.sql).insert(deployment)
    .values({ environment, dataVersion: DATA_VERSION }).onConflictDoNothing();
  const found = await readDeployment(options.database);
  if (found?.environment !== environment) {
    throw new DeploymentError(
      `this database belongs to ${found?.environment}, not to ${environment}: give another one`,
    );
  }
  if (found.dataVersion > DATA_VERSION) {
    throw new DeploymentError(
      `this data was written by a newer version (${found.dataVersion}): update, or use another folder`,
    );
  }
  const secrets = await createSecrets(options);
  await ensureTokenKey({ ...options, secrets });
  return secrets;
}

/**
 * Opens the deployment in a migrated database: its secrets, as {@linkcode openSecrets}, and its
 * authorities, which the first call makes.
 *
 * @throws DeploymentError and Error as openSecrets
 */
export async function openDeployment(options: Options): Promise<Deployment> {
  const secrets = await openSecrets(options);
  const authorities = await openAuthorities({ ...options, secrets });
  return { environment: options.environment, secrets, authorities };
}

/** The deployment that a migrated database belongs to; undefined before its first start. */
async function readDeployment(
  database: Database,
): Promise<typeof deployment.$inferSelect | undefined> {
  const [row] = await drizzle(database.sql).select().from(deployment);
  return row;
}
