/** How administrative acts are carried out: in one transaction with an audit entry, or refused. */
export { type AskedAct } from "./authorise.ts";
export { type AuditEntry, listAudit } from "./audit.ts";
export { type EntrySignature, readSignatures } from "./read_signatures.ts";
export { readAuditEntry, type SignedEntry } from "./read_audit_entry.ts";
export { type AuditFinding, type PublishedHead, verifyAudit } from "./audit_chain.ts";
export {
  type AuditHead,
  type AuditRecord,
  type PublishedKey,
  readAuditHead,
  readAuditRecord,
  withAuditRecord,
  writeAuditRecord,
} from "./audit_record.ts";
export { type AdminCells, createAdminCells, type OpenedAdminCells } from "./admin_cells.ts";
export type { Actor, AdminContext } from "./admin_context.ts";
export { addCell, listCells } from "./cells.ts";
export { drainCell, removeCell } from "./drain_cell.ts";
export { readApprovalPolicy } from "./approval_rules.ts";
export {
  type Assertion,
  challengeOf,
  formatAssertion,
  isAssertedBy,
  originOf,
} from "./assertion.ts";
export { findIdentity, type Identity } from "./identities.ts";
export {
  findLink,
  type NewPasskey,
  type PasskeyLink,
  registerPasskey,
  registrationOf,
} from "./passkeys.ts";
export { findSigner, listOperators, type Operator, readPeopleSince } from "./read_operators.ts";
export { type ActName, isActName, mayDo, RIGHTS, type Role, ROLES, rolesFor } from "./rights.ts";
export {
  endSession,
  findSession,
  hashSessionToken,
  makeChallenge,
  openSession,
  type SignedInBy,
  spendOperatorNonce,
  takeChallenge,
} from "./sessions.ts";
export {
  type ActArguments,
  argumentsText,
  contentOf,
  type PersonsKey,
  signAct,
  type SignedAct,
} from "./signed_act.ts";
export { authoriseMigration, migrateDatabase } from "./migrate_database.ts";
export { readEnvironment } from "./read_environment.ts";
export type { AdminOutcome, AdminRefusalCode } from "./refusal.ts";
