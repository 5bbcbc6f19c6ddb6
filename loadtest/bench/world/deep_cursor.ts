import type { Sql } from "@sabika/core/store";
import { encodeBase64Url, encodeUtf8 } from "../../../packages/protocol/mod.ts";

/** The lists that grow with trade, each with its table and the column that it is in the order of. */
export const GROWING_LISTS = {
  orders: ["orders", "order_id"],
  quotes: ["quotes", "quote_id"],
  events: ["events", "sequence"],
  ledger: ["transfers", "number"],
} as const;

export type GrowingList = keyof typeof GROWING_LISTS;

/** The cursor of the page behind a number of a partner's rows, as walking there would have given it. */
export async function deepCursor(
  sql: Sql,
  list: GrowingList,
  of: { partnerId: number; rows: number },
): Promise<string> {
  const [table, column] = GROWING_LISTS[list];
  const [row] = await sql<{ key: string }[]>`
    select ${sql(column)}::text as key from ${sql(table)}
    where partner_id = ${of.partnerId}::integer order by ${sql(column)} desc
    offset ${of.rows - 1} limit 1`;
  return encodeBase64Url(encodeUtf8(`${list}:${row!.key}`));
}
