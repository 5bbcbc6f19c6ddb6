import type postgres from "postgres";

/** int8 comes and goes as bigint. */
export type Types = { bigint: bigint };

/** The pool's `sql` or a transaction's: for what may be part of the caller's work. */
export type AnySql = postgres.ISql<Types>;

/** The statements of a transaction. */
export type Transaction = AnySql;

/** Statements on whichever session is free, and transactions. */
export interface Sql extends AnySql {
  /** Runs a transaction, see `runTransaction`. */
  begin<T>(body: (sql: Transaction) => T | Promise<T>): Promise<T>;
  begin<T>(characteristics: string, body: (sql: Transaction) => T | Promise<T>): Promise<T>;
  /** A session for the caller alone, who gives it back as it was. */
  reserve(): Promise<ReservedSql>;
}

/** The statements of one session. */
export interface ReservedSql extends AnySql {
  release(): void;
}
