/** The chained audit log, and the people who act: their keys, signatures and warrants. */
export { type AdminCells, createAdminCells, type OpenedAdminCells } from "./admin_cells.ts";
export type { Actor, AdminContext } from "./admin_context.ts";
export { type AuditDetail, type AuditEntry, listAudit, writeAudit } from "./audit.ts";
export { type PublishedHead, verifyAudit } from "./audit_chain.ts";
export {
  type AuditHead,
  type AuditRecord,
  type PublishedKey,
  readAuditHead,
  readAuditRecord,
  withAuditRecord,
  writeAuditRecord,
} from "./audit_record.ts";
export {
  changePartner,
  inTransaction,
  type LockedPartner,
  stampRevision,
  unknownPartner,
} from "./change.ts";
export { endOf, notAfterNow } from "./operator_clock.ts";
export { acts, office, operatorKeys, operatorRoles, operators } from "./people_tables.ts";
export { readAuditEntry, type SignedEntry } from "./read_audit_entry.ts";
export { readEnvironment } from "./read_environment.ts";
export {
  findSigner,
  listOperators,
  type Operator,
  readPeopleSince,
  type Signer,
} from "./read_operators.ts";
export { FACT_TABLES } from "./replay_facts.ts";
export { readSignatures } from "./read_signatures.ts";
export {
  operatorChallenges,
  operatorIdentities,
  operatorLinks,
  operatorNonces,
  operatorSessions,
} from "./sign_in_tables.ts";
export {
  actIdOf,
  type PersonsWarrant,
  recordWarrant,
  signedActOf,
  type Warrant,
} from "./warrant.ts";
