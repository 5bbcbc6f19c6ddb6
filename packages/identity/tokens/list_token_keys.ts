import { desc, gt, isNull, or } from "drizzle-orm";
import { drizzle, type Sql } from "@sabika/database";
import { tokenKeys } from "./tables.ts";

/** A key for access tokens, never its private half. */
export interface TokenKeyEntry {
  /** RFC 7638 thumbprint; `kid` of the tokens that it signs. */
  readonly keyId: string;
  /** Whether it signs new tokens, will in some seconds, or only verifies those that it signed before. */
  readonly state: "coming" | "signing" | "verifying";
  /** Epoch milliseconds. */
  readonly validFromMs: number;
  /** Null while nothing ends it. */
  readonly validUntilMs: number | null;
}

/** The keys for access tokens that have not ended, newest first (Decision D17). */
export async function listTokenKeys(sql: Sql, nowMs: number): Promise<TokenKeyEntry[]> {
  const { keyId, validFrom, validUntil } = tokenKeys;
  const rows = await drizzle(sql).select({ keyId, validFrom, validUntil }).from(tokenKeys)
    .where(or(isNull(validUntil), gt(validUntil, nowMs)))
    .orderBy(desc(validFrom), keyId);
  // As servers choose: the newest that has begun.
  const signing = rows.find((row) => row.validFrom <= nowMs);
  return rows.map((row) => ({
    keyId: row.keyId,
    state: row === signing ? "signing" : row.validFrom > nowMs ? "coming" : "verifying",
    validFromMs: row.validFrom,
    validUntilMs: row.validUntil,
  }));
}
