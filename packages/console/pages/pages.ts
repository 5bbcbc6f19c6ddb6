import { READS } from "@sabika/office/reads";
import type { Page } from "../call.ts";
import { listPages } from "../layout/list.tsx";
import { approvals, approvalsFile } from "./approvals.tsx";
import { sendTogether, showTogether } from "./approve_together.tsx";
import { performTogether, togetherOutcomes } from "./approved_together.tsx";
import { actOutcome, performAct } from "./acts.tsx";
import { admission, admissionStep } from "./admission.tsx";
import { attestationKeys, attestationKeysFile } from "./attestation_keys.tsx";
import { audit, auditFile } from "./audit.tsx";
import { auditRecordFile, auditVerification, verifyAuditLog } from "./audit_verification.tsx";
import { bar } from "./bar.tsx";
import { books, recount } from "./books.tsx";
import { changePartner } from "./change_partner.tsx";
import { count, countText } from "./count.tsx";
import { countBars } from "./count_bars.tsx";
import { counts, countsFile, differences, differencesFile } from "./counts.tsx";
import { credentialRequests, credentialRequestsFile } from "./credential_requests.tsx";
import { credentials, credentialsFile } from "./credentials.tsx";
import { deliveries, deliveriesFile } from "./deliveries.tsx";
import { documents, documentsFile } from "./documents.tsx";
import { endpoints, endpointsFile } from "./endpoints.tsx";
import { evidenceFile, orderEvidenceFile, receiptFile } from "./evidence_files.ts";
import { fundings, fundingsFile } from "./fundings.tsx";
import { checkIntake, intake } from "./intake.tsx";
import { kitFile } from "./kit_file.ts";
import { ledger, ledgerFile } from "./ledger.tsx";
import { margins, marginsFile } from "./margins.tsx";
import { notificationSettings } from "./notification_settings.tsx";
import { notificationPages } from "./notifications.tsx";
import { orders, ordersFile } from "./orders.tsx";
import { partner } from "./partner.tsx";
import { partners, partnersFile } from "./partners.tsx";
import { people, peopleFile, person } from "./people.tsx";
import { policy, policyFile } from "./policy.tsx";
import { pricesFile } from "./price_history.tsx";
import { poolVersion, poolVersions, poolVersionsFile, poolVersionText } from "./pool.tsx";
import { prices } from "./prices.tsx";
import { records } from "./records.tsx";
import { checkReplacement, replacement } from "./replacement.tsx";
import { openingsFile, reserve, reserveFile, reserves, reservesFile } from "./reserves.tsx";
import { search } from "./search.tsx";
import { quotes, quotesFile } from "./quotes.tsx";
import { statementFile, statements } from "./statements.tsx";
import { today } from "./today.tsx";
import { trade } from "./trade.tsx";
import { barsFile, vault, weightList } from "./vault.tsx";
import { sendAct, signAct } from "./sign_act.tsx";
import { withdrawals, withdrawalsFile } from "./withdrawals.tsx";

const trading = [
  orders,
  ordersFile,
  evidenceFile,
  trade,
  orderEvidenceFile,
  receiptFile,
  quotes,
  quotesFile,
];
const customers = [partners, partnersFile, admission, admissionStep, partner, changePartner];
const delivery = [
  credentials,
  credentialsFile,
  credentialRequests,
  credentialRequestsFile,
  endpoints,
  endpointsFile,
  documents,
  documentsFile,
  deliveries,
  deliveriesFile,
];
const accounts = [
  ledger,
  ledgerFile,
  statements,
  statementFile,
  margins,
  marginsFile,
  books,
  recount,
];
const money = [fundings, fundingsFile, withdrawals, withdrawalsFile, prices, pricesFile];
const gold = [
  vault,
  barsFile,
  weightList,
  poolVersions,
  poolVersionsFile,
  poolVersion,
  poolVersionText,
  bar,
  intake,
  checkIntake,
  replacement,
  checkReplacement,
  counts,
  countsFile,
  countBars,
  differences,
  differencesFile,
  count,
  countText,
  reserves,
  reservesFile,
  reserve,
  reserveFile,
  openingsFile,
  attestationKeys,
  attestationKeysFile,
];
const together = [sendTogether, showTogether, performTogether, togetherOutcomes];
const office = [
  approvals,
  approvalsFile,
  ...together,
  policy,
  policyFile,
  people,
  peopleFile,
  person,
];
const auditLog = [audit, auditFile, auditRecordFile, auditVerification, verifyAuditLog];

/**
 * Every page that needs a session; the navigation has those with an entry, in groups, each
 * in this order. A list that has
 * a title in the table of reads needs no file here.
 */
export const PAGES: readonly Page[] = [
  today,
  ...notificationPages,
  ...notificationSettings,
  search,
  ...trading,
  ...records,
  ...customers,
  ...delivery,
  ...money,
  ...accounts,
  ...gold,
  ...office,
  ...auditLog,
  ...READS.flatMap((read) =>
    read.kind === "list" && read.page?.title !== undefined ? listPages({ read }) : []
  ),
  sendAct,
  signAct,
  performAct,
  actOutcome,
  kitFile,
];
