import type postgres from "postgres";

/** The connection of a transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;

/** The pool's `sql` or a transaction's: for what may be part of the caller's work. */
export type AnySql = postgres.ISql<{ bigint: bigint }>;

/** A part of a statement, for use inside another. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;
