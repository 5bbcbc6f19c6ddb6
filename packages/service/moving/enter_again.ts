import type { Database } from "@sabika/database";
import { compareBalances } from "./compare_rows.ts";
import { copyRows } from "./copy_rows.ts";

/**
 * Lets a partner enter a cell again that was restored to a time before it came, with the rows that it
 * left behind in its previous cell.
 *
 * @param of.actId the act by which its gold was granted; null if there was none
 * @throws Error when the previous cell does not know that it left, or has different rows
 */
export async function enterAgain(
  { source, target }: { readonly source: Database; readonly target: Database },
  { moveId, partnerId, actId }: {
    readonly moveId: string;
    readonly partnerId: number;
    readonly actId: string | null;
  },
): Promise<void> {
  const [left] = await source.sql<{ accounts: string; lane: string }[]>`
    select accounts, lane from move_ends
    where move_id = ${moveId}::uuid and side = 'left' and accounts is not null`;
  if (left === undefined) {
    throw new Error(`the cell that partner ${partnerId} came from has not kept what it had`);
  }
  const { accounts, lane } = left;
  await source.sql.begin((sql) => copyRows(sql, target.sql, { partnerId }));
  await compareBalances(target.sql, { partnerId, accounts });
  await target
    .sql`select await_partner(${moveId}::uuid, ${partnerId}::integer, ${accounts}, ${lane})`;
  const [row] = await target.sql<{ entered: boolean }[]>`
    select enter_cell(${moveId}::uuid, ${partnerId}::integer, ${actId}::uuid) as entered`;
  if (!row!.entered) throw new Error(`the cell has no copy of where partner ${partnerId} is`);
}
