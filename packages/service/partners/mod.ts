/** The register: partners, their settings and credentials, as each instance keeps them in memory. */
export { matchesClientSecret, newClientSecret, newWebhookSecret } from "./client_secret.ts";
export {
  type CredentialEntry,
  listCredentials,
  listEndingCredentials,
} from "./list_credentials.ts";
export { readAddresses } from "./read_addresses.ts";
export { readCertificateKeys, readSigningKeys } from "./read_keys.ts";
export { createPushedRevocations, type PushedRevocations } from "./pushed_revocations.ts";
export { findPartner, readPartners } from "./read_partners.ts";
export { readRevoked } from "./read_revocations.ts";
export {
  type CertificateRecord,
  DEFAULT_RATE_LIMITS,
  type PartnerChanges,
  type PartnerRecord,
} from "./records.ts";
export { type ControlAway, createRegister, type Register } from "./register.ts";
export { openStoredRegister, type StoredRegister, storeRegister } from "./stored_register.ts";
export { registerState } from "./register_tables.ts";
export { makeRevocationLists } from "./revocation_lists.ts";
export {
  certificates,
  clientSecrets,
  partners,
  signingKeys,
  sourceAddresses,
  webhookSecrets,
} from "./tables.ts";
export { warnExpiringCredentials } from "./warn_expiring.ts";
export {
  readEndedWebhookSecret,
  readWebhookSecrets,
  webhookSecretIdentity,
} from "./webhook_secrets.ts";
