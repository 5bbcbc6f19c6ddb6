import type { Database } from "../store/database.ts";
import { KNOWN_KEY, knownKey } from "../store/list_query.ts";
import { type Given, preparedQuery } from "../store/prepared_query.ts";
import { resourceId } from "./resource_id.ts";

const selectKey = preparedQuery((orm, given: Given<"partnerId" | "idempotencyKey">) =>
  orm.select(KNOWN_KEY).from(knownKey(given))
);

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
