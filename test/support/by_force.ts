import type { Database } from "@sabika/database";

/** Changes rows with triggers disabled, as the database's owner can. */
export async function byForce(
  { sql }: Pick<Database, "sql">,
  ...statements: readonly string[]
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    for (const statement of statements) await tx.unsafe(statement);
  });
}
