import type postgres from "postgres";

/** The driver's types: int8 is bigint. */
export type Types = { bigint: bigint };

/** The statements of a pool or a transaction, for code that can be part of the caller's transaction. */
export type AnySql = postgres.ISql<Types>;

/** The statements of a transaction. */
export type Transaction = AnySql;

/** Statements on whichever session is free, and transactions. */
export interface Sql extends AnySql {
  /** Runs a transaction, see `runTransaction`. */
  begin<T>(body: (sql: Transaction) => T | Promise<T>): Promise<T>;
  begin<T>(characteristics: string, body: (sql: Transaction) => T | Promise<T>): Promise<T>;
  /** Leases a session to the caller, who must return it unchanged. */
  reserve(): Promise<ReservedSql>;
}

/** The statements of one session. */
export interface ReservedSql extends AnySql {
  release(): void;
}
