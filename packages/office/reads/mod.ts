/**
 * The table of reads, which loads no database: the office answers by it, and the command and the console
 * make their lists from it.
 */
export { PARTNERS_CHECKLIST } from "./checklist.ts";
export { type Column, shapeAt, valueAt } from "./columns.ts";
export {
  ASKED_CREDENTIALS,
  ATTESTATION_KEYS,
  AUTHORITIES,
  CREDENTIALS,
  PARTNERS_CREDENTIALS,
} from "./credentials.ts";
export { RECOUNTED, THE_DEPLOYMENT, THE_PRICES } from "./deployment.ts";
export { DELIVERY_ATTEMPTS, EVENT_WITH_ATTEMPTS, PARTNERS_EVENTS } from "./events.ts";
export type { Filter } from "./filters.ts";
export { MARGINS } from "./margins.ts";
export {
  FUNDING_OF_ALL,
  FUNDINGS,
  PAST_WITHDRAWALS,
  WITHDRAWAL_OF_ALL,
  WITHDRAWALS,
} from "./money.ts";
export { DOCUMENTS, PARTNERS_CONTACTS } from "./partner_file.ts";
export {
  ENDPOINTS,
  LEDGER,
  PARTNER_WHOLE,
  PARTNERS,
  PARTNERS_DAY,
  PARTNERS_DAYS,
} from "./partners.ts";
export {
  APPROVAL_POLICY,
  APPROVAL_WHOLE,
  APPROVALS,
  AUDIT,
  AUDIT_LOG_ENTRY,
  AUDIT_LOG_HEAD,
  OPERATORS,
  OWN_ACT,
} from "./people.ts";
export { POOL_VERSION_OF, POOL_VERSIONS, POOLS } from "./pools.ts";
export type {
  ListRead,
  OneRead,
  PageGroup,
  PageTitle,
  Part,
  Read,
  ReadContext,
  ReadPage,
  Words,
} from "./read.ts";
export { READS } from "./reads.ts";
export { RESERVE_OF, RESERVE_OPENINGS, RESERVES } from "./reserves.ts";
export { ORDER_STORY, ORDERS, QUOTE_OF_ALL, QUOTES } from "./trades.ts";
export {
  BAR_OF,
  BARS,
  THE_VAULT,
  VAULT_COUNT_OF,
  VAULT_COUNTS,
  VAULT_DIFFERENCES,
} from "./vault.ts";
