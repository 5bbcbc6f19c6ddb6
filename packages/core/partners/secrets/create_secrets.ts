import { eq } from "drizzle-orm";
import type { Database } from "../../store/database.ts";
import { drizzle } from "../../store/drizzle.ts";
import { sealedKeys } from "../../store/schema/mod.ts";
import { type MasterKeys } from "./master_keys.ts";
import { open, seal, sealedWith } from "./seal.ts";

/** Secrets at rest: what is sealed under the master key, and the keyed hash of client secrets. */
export interface Secrets {
  /** Seals a value for the row with this identity, such as `token_keys/<key id>`. */
  seal(identity: string, plain: Uint8Array): Promise<Uint8Array>;
  /** Opens a value that was sealed for this row. */
  open(identity: string, sealed: Uint8Array): Promise<Uint8Array>;
  /** HMAC-SHA-256 of a client secret under a key of this deployment, itself sealed. */
  hashClientSecret(clientSecret: string): Promise<Uint8Array>;
  /** The id of the master key that seals. */
  readonly masterKeyId: string;
}

const HASHING_KEY = "client_secret_hashing";

/** The identity of the row of `sealed_keys` with this name. */
export const sealedKeyIdentity = (name: string): string => `sealed_keys/${name}`;

/**
 * Makes the secrets of a deployment. The first call on a database makes the key that client secrets
 * are hashed with; concurrent first calls agree on one.
 *
 * @param reloadMasterKeys called when a value is sealed with an unknown key: the master key was
 * rotated
 * @throws Error when the master keys do not open what the database holds
 */
export async function createSecrets(options: {
  database: Database;
  masterKeys: MasterKeys;
  reloadMasterKeys?: () => Promise<MasterKeys>;
  random: (length: number) => Uint8Array;
}): Promise<Secrets> {
  const db = drizzle(options.database.sql);
  const { random } = options;
  let masterKeys = options.masterKeys;
  const identity = sealedKeyIdentity(HASHING_KEY);
  const select = () => db.select().from(sealedKeys).where(eq(sealedKeys.name, HASHING_KEY));
  let [row] = await select();
  if (row === undefined) {
    const sealed = await seal(masterKeys, random, identity, random(32));
    await db.insert(sealedKeys)
      .values({ name: HASHING_KEY, masterKeyId: masterKeys.currentId, sealed })
      .onConflictDoNothing();
    [row] = await select();
  }
  async function openSealed(rowIdentity: string, sealed: Uint8Array): Promise<Uint8Array> {
    if (!masterKeys.keys.has(sealedWith(sealed)) && options.reloadMasterKeys !== undefined) {
      masterKeys = await options.reloadMasterKeys();
    }
    return await open(masterKeys, rowIdentity, sealed);
  }
  const hashingKey = await crypto.subtle.importKey(
    "raw",
    new Uint8Array(await openSealed(identity, row!.sealed)),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const encoder = new TextEncoder();
  return {
    seal: (rowIdentity, plain) => seal(masterKeys, random, rowIdentity, plain),
    open: openSealed,
    async hashClientSecret(clientSecret) {
      const text = encoder.encode(clientSecret);
      return new Uint8Array(await crypto.subtle.sign("HMAC", hashingKey, text));
    },
    get masterKeyId() {
      return masterKeys.currentId;
    },
  };
}
