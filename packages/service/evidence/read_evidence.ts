import type { SignedEvidence } from "@sabika/protocol";
import type { Database } from "@sabika/database";

/**
 * Reads the signed requests that made an order or a withdrawal, or cancelled it; oldest first. That of a
 * cancellation has the id of its event.
 */
export async function readEvidence(
  { sql }: Database,
  { partnerId, id }: { partnerId: number; id: string },
): Promise<readonly SignedEvidence[]> {
  return await sql<SignedEvidence[]>`
    select timestamp_seconds::float8 as "timestampSeconds", nonce, url, body, key_id as "keyId", signature
    from evidence where partner_id = ${partnerId}::integer and evidence_id = any (array(
      select ${id}::uuid
      union all select event_id from events where partner_id = ${partnerId}::integer
        and resource_id = ${id}::uuid and type = 'withdrawal.cancelled'))
    order by evidence_id`;
}
