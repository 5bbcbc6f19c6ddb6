import type { Environment } from "@sabika/protocol";
import { type Database, drizzle, type Sql } from "@sabika/database";
import {
  type Authorities,
  establishAuthorities,
  readAuthorities,
  type RootPlace,
} from "@sabika/identity/certificates";
import { ensureReceiptKey } from "@sabika/identity/receipts";
import { createSecrets, type KeyService, type Secrets } from "@sabika/identity/secrets";
import { ensureTokenKey, tokenKeys } from "@sabika/identity/tokens";
import type { Actor } from "../audit/admin_context.ts";
import { MAIN_CELL } from "../cells/cells.ts";
import { deployment } from "../schema/tables.ts";
import { moveRoot } from "./authority_operations.ts";

/** The version of the data format that this release writes; a database with a newer one is refused. */
export const DATA_VERSION = 1;

/** An opened deployment, for the programs that administer it: sandbox, stack, keeper, office and `sabika`. */
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

/**
 * The database cannot be opened as this deployment: it has none yet, or that of another environment, of a
 * cell or of a newer release; or it has no authorities yet; or another root is where its own is to be moved.
 * The message is one line for the operator.
 */
export class DeploymentError extends Error {
  override name = "DeploymentError";
}

/**
 * Begins a deployment in a migrated database, or continues one: records or checks its environment, creates
 * or opens its hashing key, and creates a token key and a receipt key if it has none (Decision D40). The authorities are left
 * as they are.
 *
 * @throws DeploymentError when the database is a cell's, belongs to the other environment, or has newer data
 * @throws Error when the keys do not open the hashing key
 */
export async function beginDeployment(options: Options): Promise<Secrets> {
  const { environment, database: { sql } } = options;
  if (await findDeployment(sql) === undefined) {
    await drizzle(sql).insert(deployment)
      .values({ environment, dataVersion: DATA_VERSION }).onConflictDoNothing();
  }
  checkDeployment(await findDeployment(sql), environment);
  const secrets = await createSecrets(options);
  await ensureReceiptKey({ ...options, secrets });
  await ensureTokenKey({ ...options, secrets });
  return secrets;
}

/**
 * Begins a deployment like `beginDeployment`, and opens its authorities; for administering programs.
 *
 * @param options.root the place of the root; needed only by the first call, which creates the authorities
 * with it, and the root if there is none. Concurrent first calls agree on the same authorities.
 * @throws DeploymentError when there are no authorities and no root is given; and as {@linkcode beginDeployment}
 * @throws Error when the authorities or the root are the other environment's, or the root cannot be read
 */
export async function openDeployment(options: Options & { root?: RootPlace }): Promise<Deployment> {
  const { database, environment, root } = options;
  const secrets = await beginDeployment(options);
  const readOwn = () => readAuthorities({ database, environment, secrets });
  let authorities = await readOwn();
  if (authorities === undefined && root !== undefined) {
    await database.sql.begin((sql) => establishAuthorities(sql, root, { ...options, secrets }));
    authorities = await readOwn();
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
 * Opens a deployment like `openDeployment`, for programs that keep its root (sandbox and stack). Before that,
 * the root's private key is moved to `options.root` if the database still has it, as 1.0.0 kept it there.
 *
 * @param options.actor who moves it, for the audit log
 * @throws DeploymentError when the key is to be moved and `options.root` has another root; and as
 * {@linkcode openDeployment}
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
 * @throws DeploymentError when the database has no complete deployment, and as {@linkcode beginDeployment}
 * @throws Error when the keys do not open the hashing key
 */
export async function openSecrets(options: Options): Promise<Secrets> {
  const { environment, database: { sql } } = options;
  const row = await findDeployment(sql);
  // `beginDeployment` makes the token key last: with it, the deployment is complete.
  const isComplete = await drizzle(sql).$count(tokenKeys) > 0;
  checkDeployment(isComplete ? row : undefined, environment);
  return await createSecrets(options);
}

function checkDeployment(
  row: typeof deployment.$inferSelect | undefined,
  environment: Environment,
): void {
  if (row === undefined) {
    throw new DeploymentError(
      "this database has no keys and no partners yet: `sabika partner create` makes them",
    );
  }
  if (row.cellId !== MAIN_CELL) {
    throw new DeploymentError(
      `this database is the cell "${row.cellId}" of a deployment: give control's URL`,
    );
  }
  if (row.environment !== environment) {
    throw new DeploymentError(
      `this database belongs to ${row.environment}, not to ${environment}: give another one`,
    );
  }
  if (row.dataVersion > DATA_VERSION) {
    throw new DeploymentError(
      `this data was written by a newer version (${row.dataVersion}): update, or use another folder`,
    );
  }
}

/** The deployment that a migrated database belongs to; undefined before it was first opened. */
async function findDeployment(sql: Sql): Promise<typeof deployment.$inferSelect | undefined> {
  const [row] = await drizzle(sql).select().from(deployment);
  return row;
}
