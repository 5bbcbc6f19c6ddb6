import { eq } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import type { KeyService } from "./key_service.ts";
import { sealedWith } from "./seal.ts";
import { sealedKeys } from "./tables.ts";

/** Secrets at rest: what is sealed, and the keyed hash of client secrets. */
export interface Secrets extends KeyService {
  /** HMAC-SHA-256 of a client secret under a key of this deployment, itself sealed. */
  hashClientSecret(clientSecret: string): Promise<Uint8Array>;
}

const HASHING_KEY = "client_secret_hashing";

/** The identity of the row of `sealed_keys` with this name. */
export const sealedKeyIdentity = (name: string): string => `sealed_keys/${name}`;

/** The row of `sealed_keys` with this name and value. */
export const sealedKeyRow = (name: string, sealed: Uint8Array) => ({
  name,
  masterKeyId: sealedWith(sealed),
  sealed,
});

/**
 * Makes the secrets of a deployment. The first call on a database makes the key that client secrets
 * are hashed with; concurrent first calls agree on one.
 *
 * @throws Error when the keys do not open what the database holds
 */
export async function createSecrets(options: {
  database: Database;
  keys: KeyService;
  random: (length: number) => Uint8Array;
}): Promise<Secrets> {
  const { keys, random } = options;
  const db = drizzle(options.database.sql);
  const identity = sealedKeyIdentity(HASHING_KEY);
  const select = () => db.select().from(sealedKeys).where(eq(sealedKeys.name, HASHING_KEY));
  let [row] = await select();
  if (row === undefined) {
    const sealed = await keys.seal(identity, random(32));
    await db.insert(sealedKeys).values(sealedKeyRow(HASHING_KEY, sealed)).onConflictDoNothing();
    [row] = await select();
  }
  const hashingKey = await crypto.subtle.importKey(
    "raw",
    new Uint8Array(await keys.open(identity, row!.sealed)),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const encoder = new TextEncoder();
  return {
    seal: keys.seal,
    open: keys.open,
    makeSigningKey: keys.makeSigningKey,
    sign: keys.sign,
    isCurrent: keys.isCurrent,
    get currentId() {
      return keys.currentId;
    },
    async hashClientSecret(clientSecret) {
      const text = encoder.encode(clientSecret);
      return new Uint8Array(await crypto.subtle.sign("HMAC", hashingKey, text));
    },
  };
}
