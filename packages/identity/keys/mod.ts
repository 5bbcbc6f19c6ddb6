/**
 * P-256 key pairs, private files, partners' kits, and the key service's error. The error is here so that
 * importing it does not load the key service.
 */
export { KeyServiceError } from "./key_service_error.ts";
export { type Kit, writeKit } from "./kit.ts";
export { encryptKit, isRecipient, type KitFile, PASSPHRASE } from "./kit_file.ts";
export { ES256, exportPrivateKey, generateP256, toPem } from "./p256.ts";
export { whyNotPrivate, writePrivateFile } from "./private_file.ts";
export { readIfThere } from "./read_if_there.ts";
