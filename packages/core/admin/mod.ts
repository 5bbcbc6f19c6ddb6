/** How administrative acts are carried out: in one transaction with an audit entry, or refused. */
export { listAudit } from "./audit.ts";
export {
  type AuditFinding,
  type AuditHead,
  type PublishedHead,
  readAuditHead,
  verifyAudit,
} from "./audit_chain.ts";
export type { Actor, AdminContext } from "./admin_context.ts";
export { migrateDatabase } from "./migrate_database.ts";
export { readEnvironment } from "./read_environment.ts";
export type { AdminOutcome } from "./refusal.ts";
