/** Key pairs, and the private files and kits that they are kept in. */
export { KeyServiceError } from "./key_service_error.ts";
export { type Kit, writeKit } from "./kit.ts";
export { ES256, exportPrivateKey, generateP256, toPem } from "./p256.ts";
export { whyNotPrivate, writePrivateFile } from "./private_file.ts";
