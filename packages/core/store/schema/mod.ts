/** The whole schema, as Drizzle sees it. `nonces` alone is made by hand, in a migration. */
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
