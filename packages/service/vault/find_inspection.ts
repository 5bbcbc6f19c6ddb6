import { eq } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { attestationKeys, vaultCountSignatures } from "./tables.ts";

/** Who inspected a count, and what proves it (Decision D106). */
export interface Inspection {
  /** Whose key signed the count. */
  readonly holder: string;
  /** RFC 7638 thumbprint. */
  readonly keyId: string;
  /** Compact JWS of type `sabika-count`. */
  readonly signature: string;
  /** When the operator got it. */
  readonly inspectedAtMs: number;
}

/** Finds the inspection of a count; null when no inspector has signed it. */
export async function findInspection(sql: AnySql, countId: string): Promise<Inspection | null> {
  const [found] = await drizzle(sql).select({
    holder: attestationKeys.holder,
    keyId: vaultCountSignatures.keyId,
    signature: vaultCountSignatures.jws,
    inspectedAtMs: vaultCountSignatures.inspectedAt,
  }).from(vaultCountSignatures)
    .innerJoin(attestationKeys, eq(attestationKeys.keyId, vaultCountSignatures.keyId))
    .where(eq(vaultCountSignatures.countId, countId));
  return found ?? null;
}
