import type { Revocations } from "@sabika/identity/revocations";
import type { CertificateRecord, PartnerRecord } from "./records.ts";

/** A partner and the certificate by which it was found. */
interface Found {
  readonly partner: PartnerRecord;
  readonly certificate: CertificateRecord;
}

/** What came by the second way, for when control is away (Decision D116). */
export interface PushedRevocations {
  /** Takes over what a source says. What it says is older than before does not end a revocation. */
  take(source: string, revocations: Revocations): void;
  /** As the register knows them, but revoked or suspended if that was pushed later. */
  judge(found: Found, registerAsOfMs: number): Found;
  isTokenRevoked(tokenId: string): boolean;
}

/** How much earlier than the register a suspension may be dated: clocks are that close. */
const CLOCKS_MS = 5_000;

/** Creates a memory of what was pushed, without anything. */
export function createPushedRevocations(): PushedRevocations {
  // A certificate is revoked for good, whatever comes later.
  const certificates = new Set<string>();
  const latest = new Map<string, Revocations>();
  let tokens: ReadonlySet<string> = new Set();
  let suspended: ReadonlyMap<string, number> = new Map();
  return {
    take(source, revocations) {
      for (const hashHex of revocations.certificates) certificates.add(hashHex);
      const before = latest.get(source);
      if (before !== undefined && before.asOfMs > revocations.asOfMs) return;
      latest.set(source, revocations);
      // Of two sources that suspend a partner, the later one counts.
      const all = [...latest.values()].sort((a, b) => a.asOfMs - b.asOfMs);
      tokens = new Set(all.flatMap((list) => list.tokens));
      suspended = new Map(
        all.flatMap((list) => list.suspended.map((clientId) => [clientId, list.asOfMs] as const)),
      );
    },
    judge(found, registerAsOfMs) {
      const { partner, certificate } = found;
      const isRevoked = certificates.has(certificate.hashHex) && certificate.revokedAtMs === null;
      // Unlike a revocation it may have ended: a register that was read later knows better.
      const suspendedAtMs = suspended.get(partner.clientId) ?? -Infinity;
      const isSuspended = suspendedAtMs > registerAsOfMs - CLOCKS_MS;
      if (!isRevoked && !isSuspended) return found;
      return {
        partner: isSuspended ? { ...partner, status: "suspended" } : partner,
        certificate: isRevoked ? { ...certificate, revokedAtMs: registerAsOfMs } : certificate,
      };
    },
    isTokenRevoked: (tokenId) => tokens.has(tokenId),
  };
}
