import { and, eq, gt, isNotNull } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import type { Revocations } from "@sabika/identity/revocations";
import { revokedTokens } from "@sabika/identity/tokens";
import { encodeHex } from "@sabika/protocol";
import { certificates, partners } from "./tables.ts";

/** Reads what is revoked and would still be valid otherwise, as of control's clock. */
export async function readRevoked(sql: Sql): Promise<Omit<Revocations, "by">> {
  const [row] = await sql<{ nowMs: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`;
  const { nowMs } = row!;
  const db = drizzle(sql);
  const { certificateHash, revokedAt, validUntil } = certificates;
  const [revoked, tokens, suspended] = await Promise.all([
    db.select({ certificateHash }).from(certificates)
      .where(and(isNotNull(revokedAt), gt(validUntil, nowMs))),
    db.select({ tokenId: revokedTokens.tokenId }).from(revokedTokens)
      .where(gt(revokedTokens.validUntil, nowMs)),
    db.select({ clientId: partners.clientId }).from(partners)
      .where(eq(partners.status, "suspended")),
  ]);
  return {
    asOfMs: nowMs,
    certificates: revoked.map((row) => encodeHex(row.certificateHash)),
    tokens: tokens.map(({ tokenId }) => tokenId),
    suspended: suspended.map(({ clientId }) => clientId),
  };
}
