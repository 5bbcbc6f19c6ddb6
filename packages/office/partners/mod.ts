/** Acts of the operator on partners and credentials, each with its audit entry, and their checks. */
export { type Admission, admitPartner } from "./admit_partner.ts";
export { type HandedOver, readHandOver } from "./hand_over.ts";
export {
  issueCertificate,
  registerSigningKey,
  revokeCertificate,
  revokePartnerToken,
  rotateReceiptKey,
  rotateTokenKey,
  updateCertificate,
} from "./credential_operations.ts";
export { issueRequested } from "./issue_requested.ts";
export type { PartnerAdminContext } from "./partner_admin_context.ts";
export {
  addAddress,
  removeAddress,
  setPartnerStatus,
  updatePartner,
} from "./partner_operations.ts";
export { readWebhookUrl } from "./webhook_endpoint.ts";
