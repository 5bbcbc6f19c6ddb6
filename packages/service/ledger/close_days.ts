import type { Database } from "@sabika/database";

/** How many partners' days are closed in one transaction. */
const AT_ONCE = 100;

/**
 * Writes the closing balances of all past days (`close_days.sql`), so that a statement only reads the
 * transfers of its day. Several instances may do this at once.
 *
 * @returns how many closings it wrote: one for each day, several for a busy one
 */
export async function closeDays({ sql }: Pick<Database, "sql">): Promise<number> {
  for (let closed = 0;;) {
    const [row] = await sql<{ count: number }[]>`select close_days(${AT_ONCE}) as count`;
    if (row!.count === 0) return closed;
    closed += row!.count;
  }
}
