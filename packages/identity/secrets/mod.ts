/** Secrets at rest: the key service (master keys, or AWS KMS) and sealing. */
export {
  createSecrets,
  readHashingKey,
  sealedKeyIdentity,
  sealedKeyRow,
  type Secrets,
  secretsWith,
} from "./create_secrets.ts";
export { createFileKeys } from "./file_keys.ts";
export type { KeyService } from "./key_service.ts";
export type { KmsSettings } from "./kms_client.ts";
export { readKmsSettings } from "./kms_settings.ts";
export { type MasterKeys, newMasterKey, readMasterKeys } from "./master_keys.ts";
export { openKeys } from "./open_keys.ts";
export { type KeyServiceSettings, readKeyService } from "./read_key_service.ts";
export { sealedWith } from "./seal.ts";
export { sealedKeys } from "./tables.ts";
