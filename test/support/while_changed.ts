import type { Database } from "@sabika/database";
import { byForce } from "./by_force.ts";

/**
 * Changes a table as a superuser can, reads, and changes it back.
 *
 * @param of the table, the column that names its rows, and the columns that change
 * @param set what follows `SET`, with a condition if not all rows change
 * @returns what was read meanwhile
 */
export async function whileChanged<T>(
  database: Database,
  { table, key, columns }: { table: string; key: string; columns: readonly string[] },
  set: string,
  read: () => Promise<T>,
): Promise<T> {
  const back = columns.map((column) => `${column} = k.${column}`).join(", ");
  await byForce(
    database,
    `create table kept as select * from ${table}; update ${table} set ${set}`,
  );
  try {
    return await read();
  } finally {
    await byForce(
      database,
      `update ${table} t set ${back} from kept k where k.${key} = t.${key}; drop table kept`,
    );
  }
}
