import type { Sql } from "../../store/database.ts";
import { drizzle } from "../../store/drizzle.ts";
import { certificates } from "../../store/schema/mod.ts";
import type { Authorities } from "./authorities.ts";
import { createRevocationList, REVOCATION_LIST_DAYS } from "./revocation_list.ts";
import { X509Certificate } from "./x509.ts";

const LIFE_MS = REVOCATION_LIST_DAYS * 86_400_000;

/** The lists of both authorities in one PEM text, as Envoy and openssl load it. */
export interface RevocationLists {
  pem: string;
  /** To be renewed by then: half of its life is left, or one more certificate ends before its time. */
  renewAtMs: number;
  validUntilMs: number;
  /** Serials on it, lower-case hex. */
  revoked: string[];
}

/**
 * Makes the revocation lists as of now: the issuing authority's with every certificate that was revoked, or
 * ended by a rotation before its own end, and the root's, which is empty but which a checker of the whole chain asks for.
 */
export async function makeRevocationLists(options: {
  sql: Sql;
  authorities: Authorities;
  nowMs: number;
}): Promise<RevocationLists> {
  const { sql, authorities, nowMs } = options;
  const rows = await drizzle(sql).select().from(certificates)
    .orderBy(certificates.validFrom, certificates.serial);
  const revoked: { serial: string; revokedAtMs: number }[] = [];
  let renewAtMs = nowMs + LIFE_MS / 2;
  for (const row of rows) {
    // What a rotation ended is a certificate that still looks valid to a sidecar. What was revoked is
    // so now, whatever clock wrote it down.
    const revokedAtMs = row.revokedAt === null ? row.validUntil : Math.min(nowMs, row.revokedAt);
    if (new X509Certificate(row.pem).notAfter.getTime() <= Math.max(nowMs, revokedAtMs)) continue;
    if (revokedAtMs <= nowMs) revoked.push({ serial: row.serial, revokedAtMs });
    else renewAtMs = Math.min(renewAtMs, revokedAtMs);
  }
  // The number has to rise: the time does.
  const number = BigInt(nowMs);
  const lists = await Promise.all([
    createRevocationList({ issuer: authorities.issuing, number, revoked, nowMs }),
    createRevocationList({ issuer: authorities.root, number, revoked: [], nowMs }),
  ]);
  return {
    pem: lists.join(""),
    renewAtMs,
    validUntilMs: nowMs + LIFE_MS,
    revoked: revoked.map((entry) => entry.serial),
  };
}
