/** The register: partners, their credentials, and the authorities that certify them. */
export {
  DATA_VERSION,
  type Deployment,
  DeploymentError,
  openDeployment,
  readDeployment,
} from "./deployment.ts";
export { type Authorities, openAuthorities } from "./certificates/authorities.ts";
export { type IssuedCertificate } from "./certificates/issue.ts";
export { makeRevocationLists, type RevocationLists } from "./certificates/revocation_lists.ts";
export {
  makeServerCertificate,
  type ServerCertificate,
} from "./certificates/server_certificate.ts";
export { readClientId } from "./client_id.ts";
export { readIban } from "./iban.ts";
export { type Kit, writeKit } from "./kit.ts";
export { type Admission, admitPartner, type Admitted } from "./operations/admit_partner.ts";
export { type AuditEntry, listAudit } from "../admin/audit.ts";
export { type Actor, type AdminContext } from "../admin/admin_context.ts";
export type { PartnerAdminContext } from "./partner_admin_context.ts";
export {
  type CertificateRecord,
  type ClientSecretRecord,
  DEFAULT_RATE_LIMITS,
  type PartnerRecord,
  type PartnerSettings,
  RATE_CLASSES,
  type RateClass,
  type RateLimit,
  type SigningKeyRecord,
} from "./records.ts";
export { type Done, done, type RefusalCode, type Refused, refused } from "../admin/refused.ts";
export { createRegister, type Register, REGISTER_STALE_AFTER_MS } from "./register.ts";
export { matchesClientSecret } from "./secrets/client_secret.ts";
export { createSecrets, type Secrets } from "./secrets/create_secrets.ts";
export { type MasterKeys, newMasterKey, readMasterKeys } from "./secrets/master_keys.ts";
export { allowsAddress, readCidr } from "./source_addresses.ts";
export { writePrivateFile } from "./private_file.ts";
export { readSigningKey, type SigningKey } from "./signing_keys.ts";
export { type TokenKey } from "./token_keys.ts";
export { isValidAt, type Validity } from "./validity.ts";
export { readWebhookSecrets } from "./webhook_secrets.ts";
export {
  issueCertificate,
  registerSigningKey,
  retireSigningKey,
  revokeCertificate,
  rotateTokenKey,
} from "./operations/credential_operations.ts";
export {
  type CredentialEntry,
  type CredentialKind,
  listCredentials,
} from "./operations/list_credentials.ts";
export {
  addAddress,
  type PartnerChanges,
  pingWebhook,
  removeAddress,
  setIban,
  setPartnerStatus,
  setWebhookUrl,
  updatePartner,
} from "./operations/partner_operations.ts";
export {
  rotateCertificate,
  rotateClientSecret,
  type Rotated,
  rotateSigningKey,
  rotateWebhookSecret,
} from "./operations/rotate.ts";
export { type BalanceAlarm, guardBalances } from "./operations/guard_balances.ts";
export { countSealed, resealAll } from "./operations/rotate_master_key.ts";
export { dueWarning, warnExpiringCredentials, WARNING_DAYS } from "./operations/warn_expiring.ts";
export { readPartners } from "./read_partners.ts";
