/** The authorities, signing requests, client and server certificates, revocation lists. */
export { type Authorities, authorityIdentity, readAuthorities } from "./authorities.ts";
export { issueClientCertificate, type IssuedCertificate } from "./issue.ts";
export { establishAuthorities, installIssuing, requestIssuing } from "./issuing.ts";
export { isOrganisation, ORGANISATION_RULE } from "./organisation.ts";
export { createRevocationList, REVOCATION_LIST_DAYS } from "./revocation_list.ts";
export {
  certifyIssuing,
  createRoot,
  createRootList,
  readRoot,
  type Root,
  type RootPlace,
  rootText,
} from "./root.ts";
export { rootFile } from "./root_file.ts";
export { makeServerCertificate } from "./server_certificate.ts";
export { readSigningKeyOf, type SigningKey, signingKeyOf } from "./signing_keys.ts";
export { readSigningRequest, type SigningRequest } from "./signing_request.ts";
export { authorities } from "./tables.ts";
export { Name, Pkcs10CertificateRequestGenerator, X509Certificate } from "./x509.ts";
