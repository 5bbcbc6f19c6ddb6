import { READS } from "@sabika/office/reads";
import type { Page } from "../call.ts";
import { listPages } from "../layout/list.tsx";
import { approvals } from "./approvals.tsx";
import { sendTogether, showTogether } from "./approve_together.tsx";
import { performTogether, togetherOutcomes } from "./approved_together.tsx";
import { actOutcome, performAct } from "./acts.tsx";
import { admission, admissionStep } from "./admission.tsx";
import { attestationKeys } from "./attestation_keys.tsx";
import { audit } from "./audit.tsx";
import { auditRecordFile, auditVerification, verifyAuditLog } from "./audit_verification.tsx";
import { bar } from "./bar.tsx";
import { books, recount } from "./books.tsx";
import { changePartner } from "./change_partner.tsx";
import { count, countText } from "./count.tsx";
import { countBars } from "./count_bars.tsx";
import { counts, differences } from "./counts.tsx";
import { credentialRequests } from "./credential_requests.tsx";
import { credentials } from "./credentials.tsx";
import { deliveries } from "./deliveries.tsx";
import { documents } from "./documents.tsx";
import { endpoints } from "./endpoints.tsx";
import { evidenceFile, orderEvidenceFile, receiptFile } from "./evidence_files.ts";
import { fundings } from "./fundings.tsx";
import { checkIntake, intake } from "./intake.tsx";
import { kitFile } from "./kit_file.ts";
import { ledger } from "./ledger.tsx";
import { margins } from "./margins.tsx";
import { notificationSettings } from "./notification_settings.tsx";
import { notificationPages } from "./notifications.tsx";
import { orders } from "./orders.tsx";
import { partner } from "./partner.tsx";
import { partners } from "./partners.tsx";
import { people, person } from "./people.tsx";
import { policy, policyFile } from "./policy.tsx";
import { pricesFile } from "./price_history.tsx";
import { poolVersion, poolVersions, poolVersionText } from "./pool.tsx";
import { prices } from "./prices.tsx";
import { records } from "./records.tsx";
import { checkReplacement, replacement } from "./replacement.tsx";
import { openingsFile, reserve, reserveFile, reserves } from "./reserves.tsx";
import { search } from "./search.tsx";
import { quotes } from "./quotes.tsx";
import { statementFile, statements } from "./statements.tsx";
import { today } from "./today.tsx";
import { trade } from "./trade.tsx";
import { barsFile, vault, weightList } from "./vault.tsx";
import { sendAct, signAct } from "./sign_act.tsx";
import { withdrawals } from "./withdrawals.tsx";

/**
 * Every page that needs a session; the navigation has those with an entry, in groups, each in this order. A list
 * that has a title in the table of reads needs no file here.
 */
export const PAGES: readonly Page[] = [
  today,
  ...notificationPages,
  ...notificationSettings,
  search,
  ...orders,
  evidenceFile,
  trade,
  orderEvidenceFile,
  receiptFile,
  ...quotes,
  ...records,
  ...partners,
  admission,
  admissionStep,
  partner,
  changePartner,
  ...credentials,
  ...credentialRequests,
  ...endpoints,
  ...documents,
  ...deliveries,
  ...fundings,
  ...withdrawals,
  prices,
  pricesFile,
  ...ledger,
  statements,
  statementFile,
  ...margins,
  books,
  recount,
  vault,
  barsFile,
  weightList,
  ...poolVersions,
  poolVersion,
  poolVersionText,
  bar,
  intake,
  checkIntake,
  replacement,
  checkReplacement,
  ...counts,
  countBars,
  ...differences,
  count,
  countText,
  ...reserves,
  reserve,
  reserveFile,
  openingsFile,
  ...attestationKeys,
  ...approvals,
  sendTogether,
  showTogether,
  performTogether,
  togetherOutcomes,
  policy,
  policyFile,
  ...people,
  person,
  ...audit,
  auditRecordFile,
  auditVerification,
  verifyAuditLog,
  ...READS.flatMap((read) =>
    read.kind === "list" && read.page?.title !== undefined ? listPages({ read }) : []
  ),
  sendAct,
  signAct,
  performAct,
  actOutcome,
  kitFile,
];
