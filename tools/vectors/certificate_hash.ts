import { decodePem, hexToThumbprint, normaliseCertificateHash, sha256Hex } from "@sabika/protocol";
import { CERTIFICATE } from "./published_keys.ts";
import type { VectorFile } from "./vector_file.ts";

/** certificate_hash.json: what binds a token to a certificate. */
export async function certificateHashVectors(): Promise<VectorFile> {
  const der = decodePem(CERTIFICATE.pem)?.bytes;
  if (der === undefined) throw new Error("the published certificate is no PEM");
  const sha256 = await sha256Hex(der);
  const printed = sha256.toUpperCase().match(/../g)!.join(":");
  const forms = [
    sha256,
    printed,
    printed.toLowerCase(),
    sha256.slice(2),
    `${sha256}00`,
    "",
    "AB:CD",
  ];
  return {
    about: "The SHA-256 of a certificate's DER; x5t_s256 is how a token's cnf holds it. " +
      "fingerprints: the forms that tools print it in, and what they mean; null is refused.",
    source: "RFC 8705 §3.1; Decision D17",
    certificates: [{
      source: CERTIFICATE.source,
      certificate_pem: CERTIFICATE.pem,
      sha256,
      x5t_s256: hexToThumbprint(sha256),
    }],
    fingerprints: forms.map((text) => ({ text, sha256: normaliseCertificateHash(text) ?? null })),
  };
}
