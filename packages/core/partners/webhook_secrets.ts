import type { Sql } from "../store/database.ts";
import { toMoment } from "../store/moments.ts";
import type { Secrets } from "./secrets/create_secrets.ts";

/** The identity of the sealed value in a row of `webhook_secrets`. */
export const webhookSecretIdentity = (partnerId: number, secretId: string): string =>
  `webhook_secrets/${partnerId}/${secretId}`;

/**
 * Opens the webhook secrets of a partner that are valid now, newest first: a delivery is signed with
 * each of them, so that a receiver may hold either during a rotation (Decision D33).
 */
export async function readWebhookSecrets(
  sql: Sql,
  secrets: Secrets,
  partnerId: number,
  nowMs: number,
): Promise<string[]> {
  const now = toMoment(nowMs);
  const rows = await sql<{ id: string; sealed: Uint8Array }[]>`
    select secret_id as id, sealed_secret as sealed from webhook_secrets
    where partner_id = ${partnerId} and valid_from <= ${now}
      and (valid_until is null or valid_until > ${now})
    order by valid_from desc, secret_id`;
  return await Promise.all(
    rows.map(async ({ id, sealed }) =>
      new TextDecoder().decode(await secrets.open(webhookSecretIdentity(partnerId, id), sealed))
    ),
  );
}
