import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import { isP256PublicKey } from "../keys/p256.ts";
import { isOrganisation, ORGANISATION_RULE } from "./organisation.ts";
import { Pkcs10CertificateRequest } from "./x509.ts";

/** What is taken from a certificate signing request; the rest of it is ignored. */
export interface SigningRequest {
  organisation: string;
  /** SubjectPublicKeyInfo, DER. */
  publicKey: ArrayBuffer;
}

/**
 * Reads and verifies a partner's certificate signing request (Spec §5 Mutual TLS): P-256, signed
 * with its own key, one organisation of allowed characters in the subject, and a common name equal
 * to the client id. Its signature proves possession of the private key (RFC 2986 §3).
 *
 * @param text PEM
 * @returns what to certify, or why it is refused
 */
export async function readSigningRequest(
  text: string,
  clientId: string,
): Promise<AdminOutcome<SigningRequest>> {
  if (text.includes("PRIVATE KEY")) {
    return refuse("invalid_csr", "this holds a private key: keep it, and send the request alone");
  }
  const request = parse(text);
  if (request === undefined) {
    return refuse("invalid_csr", "not a certificate signing request in PEM");
  }
  const publicKey = publicKeyOf(request);
  if (publicKey === undefined || !isP256PublicKey(publicKey)) {
    return refuse(
      "invalid_csr",
      "the key of the request is not an EC key on the named curve P-256",
    );
  }
  if (!await request.verify().catch(() => false)) {
    return refuse("invalid_csr", "the request is not signed by its own key");
  }
  const subject = request.subjectName.toJSON();
  const organisations = subject.flatMap((part) => part["O"] ?? []);
  if (organisations.length !== 1) {
    return refuse("invalid_csr", "the subject of the request needs one organisation (O)");
  }
  const organisation = organisations[0]!.trim();
  if (!isOrganisation(organisation)) return refuse("invalid_csr", ORGANISATION_RULE);
  const names = subject.flatMap((part) => part["CN"] ?? []);
  if (names.length !== 1 || names[0] !== clientId) {
    return refuse(
      "invalid_csr",
      `the common name (CN) of the request must be the client id "${clientId}"`,
    );
  }
  return { ok: true, value: { organisation, publicKey } };
}

function parse(text: string): Pkcs10CertificateRequest | undefined {
  const pem =
    /-----BEGIN (NEW )?CERTIFICATE REQUEST-----[\s\S]+?-----END \1?CERTIFICATE REQUEST-----/
      .exec(text)?.[0];
  if (pem === undefined) return undefined;
  try {
    return new Pkcs10CertificateRequest(pem.replaceAll("NEW CERTIFICATE", "CERTIFICATE"));
  } catch {
    return undefined;
  }
}

/** SubjectPublicKeyInfo, DER; undefined where its algorithm cannot be read, as is seen only here. */
function publicKeyOf(request: Pkcs10CertificateRequest): ArrayBuffer | undefined {
  try {
    return request.publicKey.rawData;
  } catch {
    return undefined;
  }
}
