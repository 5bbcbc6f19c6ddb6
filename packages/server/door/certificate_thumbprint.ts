import type { CertificateRecord } from "@sabika/core/partners";
import { hexToThumbprint } from "@sabika/protocol";
import type { Call } from "../call.ts";

const thumbprints = new WeakMap<CertificateRecord, string>();

/** The base64url SHA-256 of the caller's certificate, as a token names it (RFC 8705 §3.1). */
export function certificateThumbprintOf(call: Call): string {
  const certificate = call.certificate;
  if (certificate === undefined) throw new TypeError("the certificate check must come first");
  let thumbprint = thumbprints.get(certificate);
  if (thumbprint === undefined) {
    thumbprint = hexToThumbprint(certificate.hashHex);
    thumbprints.set(certificate, thumbprint);
  }
  return thumbprint;
}
