import type postgres from "postgres";

/** The connection of a transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;
