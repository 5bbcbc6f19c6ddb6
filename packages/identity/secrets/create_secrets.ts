import { eq } from "drizzle-orm";
import { type Database, drizzle, type Sql } from "@sabika/database";
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
  const { sql } = options.database;
  let sealed = await readHashingKey(sql);
  if (sealed === undefined) {
    const made = await keys.seal(sealedKeyIdentity(HASHING_KEY), random(32));
    await drizzle(sql).insert(sealedKeys).values(sealedKeyRow(HASHING_KEY, made))
      .onConflictDoNothing();
    sealed = await readHashingKey(sql);
  }
  return await secretsWith(keys, sealed!);
}

/** The key that client secrets are hashed with, sealed; undefined before there is one. */
export async function readHashingKey(sql: Sql): Promise<Uint8Array | undefined> {
  const [row] = await drizzle(sql).select().from(sealedKeys)
    .where(eq(sealedKeys.name, HASHING_KEY));
  return row?.sealed;
}

/**
 * Makes the secrets of a deployment from its sealed hashing key.
 *
 * @throws Error when the keys do not open it
 */
export async function secretsWith(
  keys: KeyService,
  sealedHashingKey: Uint8Array,
): Promise<Secrets> {
  const hashingKey = await crypto.subtle.importKey(
    "raw",
    new Uint8Array(await keys.open(sealedKeyIdentity(HASHING_KEY), sealedHashingKey)),
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
