import type { Environment } from "@sabika/protocol";
import { type Database, drizzle, type Sql } from "@sabika/database";
import {
  type Authorities,
  establishAuthorities,
  readAuthorities,
  type RootPlace,
} from "@sabika/identity/certificates";
import { createSecrets, type KeyService, type Secrets } from "@sabika/identity/secrets";
import { ensureTokenKey, tokenKeys } from "@sabika/identity/tokens";
import type { Actor } from "../audit/admin_context.ts";
import { MAIN_CELL } from "../cells/cells.ts";
import { deployment } from "../schema/tables.ts";
import { moveRoot } from "./authority_operations.ts";

/** The data format that this version writes; a newer one is refused (Decision D44). */
export const DATA_VERSION = 1;

/** An opened deployment for programs that administer it: sandbox, keeper and the operator's command. */
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
 * Begins a deployment in a migrated database, or continues one: fixes its environment and creates its
 * hashing key and token key, or checks them (Decision D40). It leaves the authorities alone.
 *
 * @throws DeploymentError when the database is a cell, of the other environment or of a newer version
 * @throws Error when the keys do not open what the database holds
 */
export async function beginDeployment(options: Options): Promise<Secrets> {
  const { environment, database: { sql } } = options;
  if (await findDeployment(sql) === undefined) {
    await drizzle(sql).insert(deployment)
      .values({ environment, dataVersion: DATA_VERSION }).onConflictDoNothing();
  }
  checkDeployment(await findDeployment(sql), environment);
  const secrets = await createSecrets(options);
  await ensureTokenKey({ ...options, secrets });
  return secrets;
}

/**
 * Begins a deployment like `beginDeployment`, and opens its authorities; for administering programs.
 *
 * @param options.root where the root is, if it is at hand: the first call creates the authorities with
 * it, and the root itself if there is none. Concurrent first calls agree on the same authorities.
 * @throws DeploymentError when there are no authorities yet; and as {@linkcode beginDeployment}
 */
export async function openDeployment(options: Options & { root?: RootPlace }): Promise<Deployment> {
  const { database, environment, root } = options;
  const secrets = await beginDeployment(options);
  const read = () => readAuthorities({ database, environment, secrets });
  let authorities = await read();
  if (authorities === undefined && root !== undefined) {
    await database.sql.begin((sql) => establishAuthorities(sql, root, { ...options, secrets }));
    authorities = await read();
  }
  if (authorities === undefined) {
    throw new DeploymentError(
      "this deployment has no authorities yet: make a root with `sabika authority create --root FILE`, " +
        "and certify them with `sabika authority issue --root FILE`",
    );
  }
  return { environment, secrets, authorities };
}

/**
 * Opens a deployment like `openDeployment`, for programs that keep its root, as sandbox and stack do: a
 * root's private key that is still in the database is moved out first.
 *
 * @throws DeploymentError when another root is in the way; and as {@linkcode openDeployment}
 */
export async function openOwnDeployment(
  options: Options & { root: RootPlace; actor: Actor },
): Promise<Deployment> {
  const { nowMs, root } = options;
  const secrets = await beginDeployment(options);
  const moved = await moveRoot({ ...options, secrets, now: () => nowMs }, root);
  if (!moved.ok) throw new DeploymentError(moved.detail);
  return await openDeployment(options);
}

/**
 * Opens the secrets of an existing deployment, which is all that a server needs, since it issues no
 * certificates. Writes nothing (Decision D48).
 *
 * @throws DeploymentError when the database has no deployment, and as {@linkcode beginDeployment}
 * @throws Error when the keys do not open what the database holds
 */
export async function openSecrets(options: Options): Promise<Secrets> {
  const { environment, database: { sql } } = options;
  const found = await findDeployment(sql);
  // The token key is the last that `beginDeployment` makes.
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
  if (found.cellId !== MAIN_CELL) {
    throw new DeploymentError(
      `this database is the cell "${found.cellId}" of a deployment: give control's URL`,
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
