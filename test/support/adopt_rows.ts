import type { AnySql, Database } from "@sabika/database";

/** Has the next audit entry take the register as it is now, with what a test wrote past the acts. */
export async function adoptRows({ sql }: Pick<Database, "sql">): Promise<void> {
  await adoptChanges(sql);
  await sql`select note_all_rows()`;
}

/** Has the next audit entry take the rows that were changed without one. */
export async function adoptChanges(sql: AnySql): Promise<void> {
  await sql`update changed_rows set transaction_id = '0' where transaction_id <> '0'`;
}
