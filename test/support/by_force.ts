import type { Database } from "@sabika/database";

/** For tests alone: changes rows as whoever owns the database can, past the triggers that refuse it. */
export async function byForce(
  { sql }: Pick<Database, "sql">,
  ...statements: readonly string[]
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    for (const statement of statements) await tx.unsafe(statement);
  });
}
