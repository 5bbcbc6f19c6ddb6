import {
  ACCESS_TOKEN_SECONDS,
  type PublicJwk,
  publicJwk as toPublicJwk,
  thumbprint,
} from "@sabika/protocol";
import type { Database, Sql } from "../store/database.ts";
import type { Transaction } from "../store/sql.ts";
import { ES256, exportPrivateKey, generateP256, importPrivateKey } from "./certificates/p256.ts";
import { fromMoment, toMoment } from "../store/moments.ts";
import type { Secrets } from "./secrets/create_secrets.ts";
import type { Validity } from "./validity.ts";

/** A key that signs access tokens (Decision D17). It verifies until its end, the newest one signs. */
export interface TokenKey extends Validity {
  /** RFC 7638 thumbprint. */
  keyId: string;
  publicJwk: PublicJwk;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

/** A new key signs only when every instance knows it. */
export const TOKEN_KEY_LEAD_MS = 5_000;

/** The identity of a row of `token_keys`. */
export const tokenKeyIdentity = (keyId: string): string => `token_keys/${keyId}`;

/** Makes a deployment's first token key, unless it has one. */
export async function ensureTokenKey(options: {
  database: Database;
  secrets: Secrets;
  nowMs: number;
}): Promise<void> {
  await options.database.sql.begin(async (sql) => {
    await sql`lock table token_keys in exclusive mode`;
    const [existing] = await sql`select 1 from token_keys limit 1`;
    if (existing === undefined) await insertTokenKey(sql, options.secrets, options.nowMs);
  });
}

/** Adds a key that is valid from a moment on. */
export async function insertTokenKey(
  sql: Transaction,
  secrets: Secrets,
  validFromMs: number,
): Promise<string> {
  const keys = await generateP256();
  const publicJwk = await toPublicJwk(keys.publicKey);
  const keyId = await thumbprint(publicJwk);
  const sealed = await secrets.seal(
    tokenKeyIdentity(keyId),
    await exportPrivateKey(keys.privateKey),
  );
  await sql`
    insert into token_keys (key_id, public_jwk, sealed_private_key, valid_from)
    values (${keyId}, ${JSON.stringify(publicJwk)}::jsonb, ${sealed}, ${toMoment(validFromMs)})`;
  return keyId;
}

/**
 * Ends every key but the newest: they verify what they signed for a token's life longer.
 *
 * @returns the moment at which the new key begins to sign
 */
export async function endOlderTokenKeys(
  sql: Transaction,
  newKeyId: string,
  nowMs: number,
): Promise<void> {
  const endMs = nowMs + TOKEN_KEY_LEAD_MS + (ACCESS_TOKEN_SECONDS + 60) * 1000;
  await sql`
    update token_keys set valid_until = ${toMoment(endMs)}
    where key_id <> ${newKeyId} and valid_until is null`;
}

/**
 * All keys with their private halves opened, newest first; ended ones are left out.
 *
 * @param opened keys that are open already: they never change, and are not opened again
 */
export async function readTokenKeys(
  sql: Sql,
  secrets: Secrets,
  nowMs: number,
  opened: readonly TokenKey[] = [],
): Promise<TokenKey[]> {
  const rows = await sql<
    { id: string; jwk: PublicJwk; sealed: Uint8Array; from: string; until: string | null }[]
  >`
    select key_id as id, public_jwk as jwk, sealed_private_key as sealed,
      valid_from as "from", valid_until as until
    from token_keys
    where valid_until is null or valid_until > ${toMoment(nowMs)}
    order by valid_from desc, key_id`;
  return await Promise.all(rows.map(async (row) => {
    const known = opened.find((key) => key.keyId === row.id);
    const [publicKey, privateKey] = known === undefined
      ? await Promise.all([
        crypto.subtle.importKey("jwk", { ...row.jwk }, ES256, true, ["verify"]),
        secrets.open(tokenKeyIdentity(row.id), row.sealed).then(importPrivateKey),
      ])
      : [known.publicKey, known.privateKey];
    return {
      keyId: row.id,
      publicJwk: row.jwk,
      publicKey,
      privateKey,
      validFromMs: fromMoment(row.from),
      validUntilMs: row.until === null ? null : fromMoment(row.until),
    };
  }));
}
