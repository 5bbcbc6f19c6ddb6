/**
 * The tables as queries name and type their columns. What a table is, with its keys, checks and indexes, is
 * said in `../migrations` alone; `schema_test.ts` holds the two together. `nonces`, `trade_keys` and
 * `webhook_attempts` are missing here: Drizzle can express neither partitions nor inheritance.
 */
export * from "./approvals.ts";
export * from "./audit_log.ts";
export * from "./cell_acts.ts";
export * from "./cells.ts";
export * from "./deployment.ts";
export * from "./ledger.ts";
export * from "./moves.ts";
export * from "./names.ts";
export * from "./partners.ts";
export * from "./people.ts";
export * from "./secrets.ts";
export * from "./sign_in.ts";
export * from "./trading.ts";
export * from "./vault.ts";
export * from "./webhooks.ts";
