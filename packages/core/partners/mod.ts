/** The register: partners, their credentials, and the authorities that certify them. */
export {
  beginDeployment,
  DATA_VERSION,
  type Deployment,
  DeploymentError,
  openDeployment,
  openOwnDeployment,
  openSecrets,
} from "./deployment.ts";
export type { Authorities } from "./certificates/authorities.ts";
export { certifyIssuing, createRoot, readRoot, type RootPlace } from "./certificates/root.ts";
export { readSigningRequest } from "./certificates/signing_request.ts";
export { readCertificateKeys } from "./certificates/read_keys.ts";
export { makeRevocationLists } from "./certificates/revocation_lists.ts";
export { makeServerCertificate } from "./certificates/server_certificate.ts";
export { readClientId, readPartnerName } from "./client_id.ts";
export { readIban } from "./iban.ts";
export { type Kit, writeKit } from "./kit.ts";
export { type Admission, admitPartner } from "./operations/admit_partner.ts";
export type { PartnerAdminContext } from "./partner_admin_context.ts";
export {
  type CertificateRecord,
  DEFAULT_RATE_LIMITS,
  type PartnerChanges,
  type PartnerRecord,
} from "./records.ts";
export { RATE_CLASSES, type RateClass, TOKEN_AUTHS } from "../store/schema/names.ts";
export type { RateLimit } from "../store/schema/partners.ts";
export { createRegister, type Register } from "./register.ts";
export { matchesClientSecret } from "./secrets/client_secret.ts";
export { createFileKeys } from "./secrets/file_keys.ts";
export type { KmsSettings } from "./secrets/kms_client.ts";
export { readKmsSettings } from "./secrets/kms_settings.ts";
export { openKeys } from "./secrets/open_keys.ts";
export type { Secrets } from "./secrets/create_secrets.ts";
export type { KeyService } from "./secrets/key_service.ts";
export { type MasterKeys, newMasterKey, readMasterKeys } from "./secrets/master_keys.ts";
export { beginMove, findOpenMove, findOpenMoveOf, type PartnerMove } from "./moving/moves.ts";
export { MOVE_STEPS, movePartner, type MoveStep } from "./moving/move_partner.ts";
export { allowsAddress, readCidr } from "./source_addresses.ts";
export { readSigningKeyOf } from "./signing_keys.ts";
export { whyNotPrivate, writePrivateFile } from "./private_file.ts";
export { revokeToken, type TokenToRevoke } from "./revoked_tokens.ts";
export type { TokenKey } from "./token_keys.ts";
export { isValidAt } from "./validity.ts";
export { readEndedWebhookSecret, readWebhookSecrets } from "./webhook_secrets.ts";
export {
  issueCertificate,
  registerSigningKey,
  retireSigningKey,
  revokeCertificate,
  revokePartnerToken,
  rotateTokenKey,
  updateCertificate,
} from "./operations/credential_operations.ts";
export { type CredentialEntry, listCredentials } from "./operations/list_credentials.ts";
export { listTokenKeys, type TokenKeyEntry } from "./operations/list_token_keys.ts";
export { type PartnerAddresses, readAddresses } from "./read_addresses.ts";
export {
  addAddress,
  removeAddress,
  setIban,
  setPartnerStatus,
  updatePartner,
} from "./operations/partner_operations.ts";
export {
  rotateCertificate,
  rotateClientSecret,
  rotateSigningKey,
  rotateWebhookSecret,
} from "./operations/rotate.ts";
export { type BalanceAlarm, guardBalances } from "./operations/guard_balances.ts";
export {
  type AuthorityInForce,
  hasRootKey,
  installIssuingCertificate,
  issueWithRoot,
  listAuthorities,
  moveRoot,
  requestIssuingCertificate,
} from "./operations/authority_operations.ts";
export { rootFile } from "./root_file.ts";
export { countSealed, resealAll } from "./operations/rotate_master_key.ts";
export { readWebhookUrl } from "./operations/webhook_endpoint.ts";
export { warnExpiringCredentials } from "./operations/warn_expiring.ts";
export {
  formatTerm,
  TERM_ENTRIES,
  type TermName,
  type TermOption,
  type TermUnit,
} from "./terms.ts";
export { findPartner, readPartners } from "./read_partners.ts";
