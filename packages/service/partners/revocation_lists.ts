import { drizzle, type Sql } from "@sabika/database";
import {
  type Authorities,
  createRevocationList,
  createRootList,
  REVOCATION_LIST_DAYS,
  X509Certificate,
} from "@sabika/identity/certificates";
import { certificates } from "./tables.ts";

const LIFE_MS = REVOCATION_LIST_DAYS * 86_400_000;

/**
 * Makes the revocation lists as of now: the issuing authority's with every certificate that was
 * revoked, or ended early by a rotation, and the root's, which is empty and signed in advance, but
 * required by verifiers of the chain.
 */
export async function makeRevocationLists(options: {
  sql: Sql;
  authorities: Authorities;
  nowMs: number;
}) {
  const { sql, authorities, nowMs } = options;
  const rows = await drizzle(sql).select().from(certificates)
    .orderBy(certificates.validFrom, certificates.serial);
  const revoked: { serial: string; revokedAtMs: number }[] = [];
  let renewAtMs = nowMs + LIFE_MS / 2;
  for (const row of rows) {
    // A certificate that a rotation ended still seems valid to a sidecar. A revoked one is revoked as
    // of now at the latest, whatever clock recorded it.
    const revokedAtMs = row.revokedAt === null ? row.validUntil : Math.min(nowMs, row.revokedAt);
    if (new X509Certificate(row.pem).notAfter.getTime() <= Math.max(nowMs, revokedAtMs)) continue;
    if (revokedAtMs <= nowMs) revoked.push({ serial: row.serial, revokedAtMs });
    else renewAtMs = Math.min(renewAtMs, revokedAtMs);
  }
  // The number must increase, as the time does.
  const number = BigInt(nowMs);
  const lists = await Promise.all([
    createRevocationList({ issuer: authorities.issuing, number, revoked, nowMs }),
    authorities.rootListPem ?? signedNow(authorities.root, nowMs),
  ]);
  return {
    pem: lists.join(""),
    /** When to renew: after half of its validity, or when a rotation ends another certificate early. */
    renewAtMs,
    validUntilMs: nowMs + LIFE_MS,
    /** The serial numbers on the list, lower-case hex. */
    revoked: revoked.map((entry) => entry.serial),
  };
}

function signedNow(root: Authorities["root"], nowMs: number): Promise<string> {
  const { sign } = root;
  if (sign === undefined) throw new Error("the root's revocation list is missing in this database");
  return createRootList({ ...root, sign }, nowMs + LIFE_MS, nowMs);
}
