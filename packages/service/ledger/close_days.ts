import type { Database } from "@sabika/database";

/** Partners of which a day is closed in one transaction. */
const AT_ONCE = 100;

/**
 * Writes the closing balances of all days that are over (`close_days.sql`), so that a statement
 * costs what its day has. Several instances may do it at once.
 *
 * @returns how many days it closed
 */
export async function closeDays({ sql }: Pick<Database, "sql">): Promise<number> {
  for (let closed = 0;;) {
    const [row] = await sql<{ count: number }[]>`select close_days(${AT_ONCE}) as count`;
    if (row!.count === 0) return closed;
    closed += row!.count;
  }
}
