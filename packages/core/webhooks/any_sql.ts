import type postgres from "postgres";

/** The pool's `sql` or a transaction's: for what is to be part of the caller's work. */
export type AnySql = postgres.ISql<{ bigint: bigint }>;
