import type { Database, Sql } from "@sabika/database";

/**
 * Counts the rows that `run` reads, by PostgreSQL's counters of one transaction.
 *
 * @param run gets the database within the transaction; transactions that it begins are savepoints
 * @param tables the tables whose rows are counted; all by default
 * @returns the number of rows, and the result of `run`
 */
export async function rowsRead<T>(
  database: Database,
  run: (inside: Database) => Promise<T>,
  tables: readonly string[] | null = null,
): Promise<{ rows: number; shown: T }> {
  const names = tables?.join() ?? null;
  return await database.sql.begin(async (sql) => {
    type Body = (session: typeof sql) => Promise<unknown>;
    // With or without options before the body.
    const begin = (first: string | Body, body = first as Body) => body(sql);
    const session = new Proxy(sql, {
      get: (target, name) => name === "begin" ? begin : Reflect.get(target, name),
    }) as unknown as Sql;
    const count = async () => {
      const [row] = await sql<{ rows: number }[]>`
        select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as rows
        from pg_stat_xact_user_tables
        where coalesce(relname = any(string_to_array(${names}::text, ',')), true)`;
      return row!.rows;
    };
    const before = await count();
    const shown = await run({ ...database, sql: session });
    return { rows: await count() - before, shown };
  }) as { rows: number; shown: T };
}
