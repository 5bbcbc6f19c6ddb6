import { PgDialect } from "drizzle-orm/pg-core";
import { PgRemoteDatabase, PgRemoteSession } from "drizzle-orm/pg-proxy";
import type postgres from "postgres";
import type { AnySql } from "./sql.ts";

const dialect = new PgDialect();

/**
 * Drizzle's typed queries on one of our connections, for everything that is not hot. Statements are
 * prepared, so each takes one round trip after its first use. Errors are the driver's own:
 * Drizzle's would quote the parameters.
 *
 * @param sql the pool's or a transaction's, which the queries are then part of; Drizzle starts no
 * transactions here
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

/** Replaces Drizzle's cache, which wraps errors in its own with all parameters in the message. */
function runPlainly<T>(_text: string, _params: unknown[], run: () => Promise<T>): Promise<T> {
  return run();
}
