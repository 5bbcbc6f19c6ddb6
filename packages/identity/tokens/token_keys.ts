import {
  ACCESS_TOKEN_SECONDS,
  type PublicJwk,
  publicJwk as toPublicJwk,
  thumbprint,
} from "@sabika/protocol";
import { and, desc, gt, isNull, ne, or } from "drizzle-orm";
import { type Database, drizzle, type Sql, type Transaction } from "@sabika/database";
import type { Validity } from "@sabika/terms";
import { ES256, exportPrivateKey, generateP256, importPrivateKey } from "../keys/p256.ts";
import type { Secrets } from "../secrets/create_secrets.ts";
import { tokenKeys } from "./tables.ts";

/** A token key as it is kept. */
export interface SealedTokenKey extends Validity {
  /** RFC 7638 thumbprint. */
  keyId: string;
  publicJwk: PublicJwk;
  sealedPrivateKey: Uint8Array;
}

/** A key for access tokens (Decision D17). Each verifies until its end; the newest one signs. */
export interface TokenKey extends Omit<SealedTokenKey, "sealedPrivateKey"> {
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

/** A new key signs only once every instance knows it. */
export const TOKEN_KEY_LEAD_MS = 5_000;

/** The identity of a row of `token_keys`. */
export const tokenKeyIdentity = (keyId: string): string => `token_keys/${keyId}`;

/** Makes a deployment's first token key, unless it has one. */
export async function ensureTokenKey(options: {
  database: Database;
  secrets: Secrets;
  nowMs: number;
}): Promise<void> {
  if (await drizzle(options.database.sql).$count(tokenKeys) > 0) return;
  await options.database.sql.begin(async (sql) => {
    await sql`lock table token_keys in exclusive mode`;
    if (await drizzle(sql).$count(tokenKeys) > 0) return;
    await insertTokenKey(sql, options.secrets, options.nowMs);
  });
}

/** Adds a key that is valid from the given moment. */
export async function insertTokenKey(
  sql: Transaction,
  secrets: Secrets,
  validFromMs: number,
): Promise<string> {
  const keys = await generateP256();
  const publicJwk = await toPublicJwk(keys.publicKey);
  const keyId = await thumbprint(publicJwk);
  const sealedPrivateKey = await secrets.seal(
    tokenKeyIdentity(keyId),
    await exportPrivateKey(keys.privateKey),
  );
  await drizzle(sql).insert(tokenKeys)
    .values({ keyId, publicJwk, sealedPrivateKey, validFrom: validFromMs });
  return keyId;
}

/** Ends every key but the newest, once the tokens that they signed have expired. */
export async function endOlderTokenKeys(
  sql: Transaction,
  newKeyId: string,
  nowMs: number,
): Promise<void> {
  const endMs = nowMs + TOKEN_KEY_LEAD_MS + (ACCESS_TOKEN_SECONDS + 60) * 1000;
  await drizzle(sql).update(tokenKeys).set({ validUntil: endMs })
    .where(and(ne(tokenKeys.keyId, newKeyId), isNull(tokenKeys.validUntil)));
}

/** All keys that have not ended, newest first. */
export async function readSealedTokenKeys(sql: Sql, nowMs: number): Promise<SealedTokenKey[]> {
  const rows = await drizzle(sql).select().from(tokenKeys)
    .where(or(isNull(tokenKeys.validUntil), gt(tokenKeys.validUntil, nowMs)))
    .orderBy(desc(tokenKeys.validFrom), tokenKeys.keyId);
  return rows.map(({ validFrom, validUntil, ...key }) => ({
    ...key,
    validFromMs: validFrom,
    validUntilMs: validUntil,
  }));
}

/**
 * All keys that have not ended, newest first, with their private keys opened.
 *
 * @param opened keys opened before: they never change, so they are not opened again
 */
export async function readTokenKeys(
  sql: Sql,
  secrets: Pick<Secrets, "open">,
  nowMs: number,
  opened: readonly TokenKey[] = [],
): Promise<TokenKey[]> {
  return await openTokenKeys(await readSealedTokenKeys(sql, nowMs), secrets, opened);
}

/** Opens token keys like `readTokenKeys`. @throws Error as `KeyService.open` */
export async function openTokenKeys(
  sealed: readonly SealedTokenKey[],
  secrets: Pick<Secrets, "open">,
  opened: readonly TokenKey[] = [],
): Promise<TokenKey[]> {
  return await Promise.all(sealed.map(async ({ sealedPrivateKey, ...key }) => {
    const known = opened.find(({ keyId }) => keyId === key.keyId);
    const [publicKey, privateKey] = known === undefined
      ? await Promise.all([
        crypto.subtle.importKey("jwk", { ...key.publicJwk }, ES256, true, ["verify"]),
        secrets.open(tokenKeyIdentity(key.keyId), sealedPrivateKey).then(importPrivateKey),
      ])
      : [known.publicKey, known.privateKey];
    return { ...key, publicKey, privateKey };
  }));
}
