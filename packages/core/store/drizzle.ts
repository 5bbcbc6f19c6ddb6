import { PgDialect } from "drizzle-orm/pg-core";
import { PgRemoteDatabase, PgRemoteSession } from "drizzle-orm/pg-proxy";
import type postgres from "postgres";
import type { AnySql } from "./sql.ts";

const dialect = new PgDialect();

/**
 * Drizzle's typed queries on a connection of ours: for all that is not hot. What it runs is part of the
 * transaction when `sql` is one. Statements are prepared, so one takes one round trip after its first
 * time. Errors are those of the driver: Drizzle's own would quote the parameters.
 *
 * @param sql the pool's or a transaction's; Drizzle starts no transactions of its own
 */
export function drizzle(sql: AnySql): PgRemoteDatabase {
  return new PgRemoteDatabase(dialect, new Session(sql), undefined);
}

class Session extends PgRemoteSession<Record<string, never>, Record<string, never>> {
  constructor(sql: AnySql) {
    super(
      async (text, params: postgres.ParameterOrJSON<bigint>[], method) => {
        const query = sql.unsafe(text, params, { prepare: true });
        return { rows: method === "all" ? await query.values() : await query };
      },
      dialect,
      undefined,
    );
  }

  override prepareQuery(
    ...args: Parameters<
      PgRemoteSession<Record<string, never>, Record<string, never>>["prepareQuery"]
    >
  ) {
    const query = super.prepareQuery(...args);
    return Object.assign(query, { queryWithCache: runPlainly });
  }
}

/** In place of Drizzle's cache, which wraps errors into ones that hold all parameters. */
function runPlainly<T>(_text: string, _params: unknown[], run: () => Promise<T>): Promise<T> {
  return run();
}
