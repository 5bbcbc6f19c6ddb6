/** Rules that need no database: partners' terms, roles and their acts, refusals, client ids, IBANs, validity, days. */
export { readClientId, readPartnerName } from "./client_id.ts";
export { type BankName, bankOf } from "./bank_of_iban.ts";
export { type Cell, csvLine } from "./csv_line.ts";
export { readIban } from "./iban.ts";
export {
  RATE_CLASSES,
  type RateClass,
  type Role,
  ROLES,
  TOKEN_AUTHS,
  type TokenAuth,
} from "./names.ts";
export {
  formatTerm,
  PARTNER_TERMS,
  refuseTerm,
  TERM_ENTRIES,
  type TermKey,
  type TermName,
  type TermOption,
  type TermUnit,
} from "./partner_terms.ts";
export { REFINER_LISTS, type RefinerList } from "./refiner_lists.ts";
export type { AdminOutcome, AdminRefusal, AdminRefusalCode } from "./refusal.ts";
export { type ActName, type AuditAction, isActName, mayDo, RIGHTS, rolesFor } from "./rights.ts";
export { RIYADH_OFFSET_MS, riyadhDay, riyadhDayEnd, riyadhDayStart, riyadhTime } from "./riyadh.ts";
export { UUID } from "./uuid.ts";
export { isValidAt, type Validity } from "./validity.ts";
