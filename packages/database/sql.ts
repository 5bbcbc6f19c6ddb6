import type postgres from "postgres";

/** The driver's types: int8 is bigint. */
export type Types = { bigint: bigint };

/** The statements of a pool or a transaction, for code that can be part of the caller's transaction. */
export type AnySql = postgres.ISql<Types>;

/** The statements of a transaction. */
export type Transaction = AnySql;

/** Statements, and transactions. */
export interface TransactingSql extends AnySql {
  /** Runs a transaction, see `runTransaction`. */
  begin<T>(body: (sql: Transaction) => T | Promise<T>): Promise<T>;
  begin<T>(characteristics: string, body: (sql: Transaction) => T | Promise<T>): Promise<T>;
}

/** Statements on whichever session is free, and transactions. */
export interface Sql extends TransactingSql {
  /** Leases a session to the caller. */
  reserve(): Promise<ReservedSql>;
}

/** The statements of one session, in sequence; after its end they are rejected without being sent. */
export interface ReservedSql extends TransactingSql {
  /** Returns the session, which must be as it was. */
  release(): void;
  /** Ends the session, and with it its settings and locks. */
  end(): void;
}
