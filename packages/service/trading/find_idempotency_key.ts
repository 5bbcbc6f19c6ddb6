import type { Database } from "@sabika/database";
import { resourceId } from "../idempotency/resource_id.ts";
import { selectKey } from "../lists/list_query.ts";

/** What an Idempotency-Key made: its wire id. */
export interface KnownKey {
  readonly resourceId: string;
}

/** What a key of this partner made, if anything. */
export async function findIdempotencyKey(
  { sql }: Database,
  partnerId: number,
  idempotencyKey: string,
): Promise<KnownKey | undefined> {
  const [row] = await selectKey(sql, { partnerId, idempotencyKey });
  return row && { resourceId: resourceId(row.resourceKind, row.resourceId) };
}
