import type { Database } from "../store/database.ts";
import { resourceId, type ResourceKind } from "./resource_id.ts";

/** What an Idempotency-Key made: its wire id. */
export interface KnownKey {
  readonly resourceId: string;
}

/** Looks up whether a key of this partner made something. */
export async function findIdempotencyKey(
  database: Database,
  partnerId: number,
  idempotencyKey: string,
): Promise<KnownKey | undefined> {
  const [row] = await database.sql<{ resource_kind: ResourceKind; resource_id: string }[]>`
    select resource_kind, resource_id from idempotency_keys
    where partner_id = ${partnerId}::integer and key_hash = short_hash(${idempotencyKey}::text)`;
  return row && { resourceId: resourceId(row.resource_kind, row.resource_id) };
}
