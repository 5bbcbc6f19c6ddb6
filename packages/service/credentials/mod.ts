/** What partners ask for of certificates and signing keys, until the operator issues or refuses it. */
export { createCredentialRequests, type CredentialRequests } from "./create_requests.ts";
export { findKeyUse } from "./find_key_use.ts";
export { type AskedCredential, isRequest, listAskedCredentials } from "./read_requested.ts";
export { credentialRequests } from "./tables.ts";
