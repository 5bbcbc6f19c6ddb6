import { ES256, toPem } from "../keys/p256.ts";
import { type Authority, BACKDATE_MS, signedBy } from "./authority.ts";
import {
  AuthorityKeyIdentifierExtension,
  Extension,
  X509CrlGenerator,
  X509CrlReason,
} from "./x509.ts";

/** A list is valid for a week; it is renewed after half of that and at each revocation. */
export const REVOCATION_LIST_DAYS = 7;

/**
 * Makes an authority's certificate revocation list (RFC 5280 §5) as PEM.
 *
 * @param number increases with every list of this authority
 * @param revoked serials in hex, with the time of revocation
 * @param untilMs its end; a week when left out
 */
export async function createRevocationList(options: {
  issuer: Authority;
  number: bigint;
  revoked: { serial: string; revokedAtMs: number }[];
  nowMs: number;
  untilMs?: number;
}): Promise<string> {
  const nowMs = Math.floor(options.nowMs / 1000) * 1000;
  const signed = signedBy(options.issuer.sign);
  const crl = await X509CrlGenerator.create({
    issuer: options.issuer.certificate.subjectName.toJSON(),
    thisUpdate: new Date(nowMs - BACKDATE_MS),
    nextUpdate: new Date(options.untilMs ?? nowMs + REVOCATION_LIST_DAYS * 86_400_000),
    signingAlgorithm: ES256,
    signingKey: signed.signingKey,
    entries: options.revoked.map((entry) => ({
      serialNumber: entry.serial,
      revocationDate: new Date(Math.floor(entry.revokedAtMs / 1000) * 1000),
      // "Unspecified" would leave an empty list of extensions, which strict readers refuse.
      reason: X509CrlReason.privilegeWithdrawn,
    })),
    extensions: [
      await AuthorityKeyIdentifierExtension.create(options.issuer.certificate.publicKey),
      new Extension("2.5.29.20", false, derInteger(options.number)),
    ],
  }, signed.crypto);
  // openssl does not read the library's own label, "CRL" (RFC 7468 §7).
  return toPem("X509 CRL", new Uint8Array(crl.rawData));
}

function derInteger(value: bigint): Uint8Array<ArrayBuffer> {
  let hex = value.toString(16);
  if (hex.length % 2 === 1) hex = `0${hex}`;
  if (parseInt(hex.slice(0, 2), 16) > 0x7f) hex = `00${hex}`;
  const bytes = (hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16));
  return Uint8Array.from([0x02, bytes.length, ...bytes]);
}
