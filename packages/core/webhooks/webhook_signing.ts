import { encodeUtf8, HEADER, signWebhook } from "@sabika/protocol";
import type { Secrets } from "../partners/secrets/create_secrets.ts";
import type { Sql } from "../store/database.ts";

/** The identity that a webhook secret's row is sealed under. */
export const webhookSecretIdentity = (partnerId: number, secretId: string): string =>
  `webhook_secrets/${partnerId}/${secretId}`;

/**
 * The webhook secrets of a partner that are valid now, newest first: during a rotation each signs
 * (Decision D33).
 */
export async function openWebhookSecrets(
  sql: Sql,
  secrets: Pick<Secrets, "open">,
  partnerId: number,
  nowMs: number,
): Promise<string[]> {
  const now = new Date(nowMs).toISOString();
  const rows = await sql<{ secret_id: string; sealed_secret: Uint8Array }[]>`
    select secret_id, sealed_secret from webhook_secrets
    where partner_id = ${partnerId} and valid_from <= ${now}::timestamptz
      and (valid_until is null or valid_until > ${now}::timestamptz)
    order by valid_from desc, secret_id`;
  const decoder = new TextDecoder();
  return await Promise.all(rows.map(async (row) => {
    const identity = webhookSecretIdentity(partnerId, row.secret_id);
    return decoder.decode(await secrets.open(identity, new Uint8Array(row.sealed_secret)));
  }));
}

/** The headers and bytes of one attempt; the timestamp is the attempt's, the id the event's. */
export async function signAttempt(
  secrets: string[],
  id: string,
  body: string,
  nowMs: number,
): Promise<{ headers: Record<string, string>; bytes: Uint8Array }> {
  const timestampSeconds = Math.floor(nowMs / 1000);
  const bytes = encodeUtf8(body);
  return {
    bytes,
    headers: {
      "content-type": "application/json",
      "user-agent": "Sabika-Webhooks/1",
      [HEADER.webhookId]: id,
      [HEADER.webhookTimestamp]: String(timestampSeconds),
      [HEADER.webhookSignature]: await signWebhook({ secrets, id, timestampSeconds, body: bytes }),
    },
  };
}
