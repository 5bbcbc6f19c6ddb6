import { and, desc, eq, gt, isNull, lte, or } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import type { Secrets } from "@sabika/identity/secrets";
import { webhookSecrets } from "./tables.ts";

/** The identity of the sealed value in a row of `webhook_secrets`. */
export const webhookSecretIdentity = (partnerId: number, secretId: string): string =>
  `webhook_secrets/${partnerId}/${secretId}`;

/**
 * Opens the webhook secrets of a partner that are valid now, newest first: a delivery is signed
 * with each of them, so that a receiver may hold either during a rotation (Decision D33).
 */
export async function readWebhookSecrets(
  sql: Sql,
  secrets: Secrets,
  partnerId: number,
  nowMs: number,
): Promise<string[]> {
  const { validFrom, validUntil } = webhookSecrets;
  const rows = await drizzle(sql).select().from(webhookSecrets).where(and(
    eq(webhookSecrets.partnerId, partnerId),
    lte(validFrom, nowMs),
    or(isNull(validUntil), gt(validUntil, nowMs)),
  )).orderBy(desc(validFrom), webhookSecrets.secretId);
  return await Promise.all(rows.map((row) => openSecret(secrets, row)));
}

/** The partner's webhook secret that ended last; undefined if none has ended. */
export async function readEndedWebhookSecret(
  sql: Sql,
  secrets: Pick<Secrets, "open">,
  partnerId: number,
  nowMs: number,
): Promise<string | undefined> {
  const { validUntil } = webhookSecrets;
  const [row] = await drizzle(sql).select().from(webhookSecrets)
    .where(and(eq(webhookSecrets.partnerId, partnerId), lte(validUntil, nowMs)))
    .orderBy(desc(validUntil)).limit(1);
  return row && await openSecret(secrets, row);
}

async function openSecret(
  secrets: Pick<Secrets, "open">,
  { partnerId, secretId, sealedSecret }: typeof webhookSecrets.$inferSelect,
): Promise<string> {
  const identity = webhookSecretIdentity(partnerId, secretId);
  return new TextDecoder().decode(await secrets.open(identity, sealedSecret));
}
