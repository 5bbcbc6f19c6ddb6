import type { CertificateRecord } from "@sabika/service/partners";
import { hexToThumbprint } from "@sabika/protocol";

const thumbprints = new WeakMap<CertificateRecord, string>();

/** The base64url SHA-256 of a certificate, as a token names it (RFC 8705 §3.1). */
export function certificateThumbprint(certificate: CertificateRecord): string {
  let thumbprint = thumbprints.get(certificate);
  if (thumbprint === undefined) {
    thumbprint = hexToThumbprint(certificate.hashHex);
    thumbprints.set(certificate, thumbprint);
  }
  return thumbprint;
}
