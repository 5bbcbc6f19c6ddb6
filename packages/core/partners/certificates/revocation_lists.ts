import type { Sql } from "../../store/database.ts";
import { fromMoment, toMoment } from "../moments.ts";
import type { Authorities } from "./authorities.ts";
import { createRevocationList, REVOCATION_LIST_DAYS } from "./revocation_list.ts";

/** The lists of both authorities in one PEM text, as Envoy and openssl load it. */
export interface RevocationLists {
  pem: string;
  /** To be renewed by then: half of its life is left. */
  renewAtMs: number;
  validUntilMs: number;
  /** Serials on it, lower-case hex. */
  revoked: string[];
}

/**
 * Makes the revocation lists as of now: the issuing authority's with every revoked certificate that has not
 * ended, and the root's, which is empty but which a checker of the whole chain asks for.
 */
export async function makeRevocationLists(options: {
  sql: Sql;
  authorities: Authorities;
  nowMs: number;
}): Promise<RevocationLists> {
  const { sql, authorities, nowMs } = options;
  const rows = await sql<{ serial: string; revokedAt: string }[]>`
    select serial, revoked_at as "revokedAt" from certificates
    where revoked_at is not null and valid_until > ${toMoment(nowMs)} order by revoked_at, serial`;
  const revoked = rows.map((row) => ({
    serial: row.serial,
    revokedAtMs: fromMoment(row.revokedAt),
  }));
  // The number has to rise: the time does.
  const number = BigInt(nowMs);
  const lists = await Promise.all([
    createRevocationList({ issuer: authorities.issuing, number, revoked, nowMs }),
    createRevocationList({ issuer: authorities.root, number, revoked: [], nowMs }),
  ]);
  return {
    pem: lists.join(""),
    renewAtMs: nowMs + REVOCATION_LIST_DAYS * 86_400_000 / 2,
    validUntilMs: nowMs + REVOCATION_LIST_DAYS * 86_400_000,
    revoked: revoked.map((entry) => entry.serial),
  };
}
