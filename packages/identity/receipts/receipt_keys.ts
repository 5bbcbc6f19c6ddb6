import { publicJwk as toPublicJwk, type ReceiptKey, thumbprint } from "@sabika/protocol";
import { desc, isNull } from "drizzle-orm";
import { type Database, drizzle, type Sql, type Transaction } from "@sabika/database";
import { exportPrivateKey, generateP256, importPrivateKey } from "../keys/p256.ts";
import type { Secrets } from "../secrets/create_secrets.ts";
import { receiptKeys } from "./tables.ts";

/** The key that signs receipts now. */
export interface SigningReceiptKey {
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  readonly privateKey: CryptoKey;
}

/**
 * A key ends so much later than it stops to sign: a worker that read it before may still sign an order of just now,
 * and clocks of databases differ.
 */
const END_MARGIN_MS = 5 * 60_000;

/** What a private key is sealed for: the purpose of the deployment's own keys, for which each key service has a key. */
export const receiptKeyIdentity = (keyId: string): string => `sealed_keys/receipt/${keyId}`;

/** Makes a deployment's first receipt key, unless it has one. */
export async function ensureReceiptKey(options: {
  database: Database;
  secrets: Secrets;
  nowMs: number;
}): Promise<void> {
  if (await drizzle(options.database.sql).$count(receiptKeys) > 0) return;
  await options.database.sql.begin(async (sql) => {
    await sql`lock table receipt_keys in exclusive mode`;
    if (await drizzle(sql).$count(receiptKeys) > 0) return;
    await insertReceiptKey(sql, options.secrets, options.nowMs);
  });
}

/** Makes a new key, which signs from now on; ends the one before, and forgets its private half. */
export async function renewReceiptKey(
  sql: Transaction,
  secrets: Secrets,
  nowMs: number,
): Promise<{ keyId: string; endedKeyId: string | null }> {
  const [ended] = await drizzle(sql).update(receiptKeys)
    .set({ validUntil: nowMs + END_MARGIN_MS, sealedPrivateKey: null })
    .where(isNull(receiptKeys.validUntil)).returning({ keyId: receiptKeys.keyId });
  return {
    keyId: await insertReceiptKey(sql, secrets, nowMs),
    endedKeyId: ended?.keyId ?? null,
  };
}

async function insertReceiptKey(
  sql: Transaction,
  secrets: Secrets,
  nowMs: number,
): Promise<string> {
  const keys = await generateP256();
  const publicJwk = await toPublicJwk(keys.publicKey);
  const keyId = await thumbprint(publicJwk);
  const sealedPrivateKey = await secrets.seal(
    receiptKeyIdentity(keyId),
    await exportPrivateKey(keys.privateKey),
  );
  await drizzle(sql).insert(receiptKeys)
    .values({ keyId, publicJwk, sealedPrivateKey, validFrom: nowMs });
  return keyId;
}

/** Reads all keys that ever signed receipts, the newest first. */
export async function readReceiptKeys(sql: Sql): Promise<ReceiptKey[]> {
  const rows = await drizzle(sql).select({
    keyId: receiptKeys.keyId,
    publicJwk: receiptKeys.publicJwk,
    validFromMs: receiptKeys.validFrom,
    validUntilMs: receiptKeys.validUntil,
  }).from(receiptKeys).orderBy(desc(receiptKeys.validFrom), receiptKeys.keyId);
  return rows.map(({ publicJwk: { x, y }, ...key }) => ({ ...key, x, y }));
}

/**
 * Opens the key that signs now; undefined while there is none.
 *
 * @param known the key that was opened before: it is not opened again
 * @throws Error when the key service does not answer, or its keys do not open it
 */
export async function openReceiptKey(
  sql: Sql,
  secrets: Pick<Secrets, "open">,
  known?: SigningReceiptKey,
): Promise<SigningReceiptKey | undefined> {
  const [row] = await drizzle(sql).select({
    keyId: receiptKeys.keyId,
    sealed: receiptKeys.sealedPrivateKey,
  }).from(receiptKeys).where(isNull(receiptKeys.validUntil));
  if (row === undefined || row.sealed === null) return undefined;
  const { keyId, sealed } = row;
  if (keyId === known?.keyId) return known;
  const privateKey = await importPrivateKey(await secrets.open(receiptKeyIdentity(keyId), sealed));
  return { keyId, privateKey };
}
