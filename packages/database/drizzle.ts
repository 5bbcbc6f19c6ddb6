import { PgDialect } from "drizzle-orm/pg-core";
import { PgRemoteDatabase, PgRemoteSession } from "drizzle-orm/pg-proxy";
import type postgres from "postgres";
import { rowReader } from "./row_reader.ts";
import type { AnySql } from "./sql.ts";

const dialect = new PgDialect();

/**
 * Drizzle's typed queries on one of our connections, for all that is not the hot path. Statements are
 * prepared, so each takes one round trip after its first use. Errors are the driver's own:
 * Drizzle's would quote the parameters.
 *
 * @param sql a pool, or a transaction for queries that are part of it; Drizzle itself starts none
 */
export function drizzle(sql: AnySql): PgRemoteDatabase {
  return new PgRemoteDatabase(dialect, new Session(sql), undefined);
}

type Base = PgRemoteSession<Record<string, never>, Record<string, never>>;

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

  override prepareQuery(...args: Parameters<Base["prepareQuery"]>) {
    const [query, fields, name, isArray, customMapper, ...rest] = args;
    let read: ReturnType<typeof rowReader> | undefined;
    // The query knows its joins only after it is built.
    const mapRows = (rows: unknown[][]) =>
      rows.map(read ??= rowReader(fields!, prepared.joinsNotNullableMap));
    const mapper = customMapper ?? (fields && mapRows);
    const prepared: ReturnType<Base["prepareQuery"]> & {
      // Not in Drizzle's public types.
      joinsNotNullableMap?: Record<string, boolean>;
    } = super.prepareQuery(query, fields, name, isArray, mapper, ...rest);
    return Object.assign(prepared, { queryWithCache: runPlainly });
  }
}

/** Replaces Drizzle's cache, which wraps errors in its own with all parameters in the message. */
function runPlainly<T>(_text: string, _params: unknown[], run: () => Promise<T>): Promise<T> {
  return run();
}
