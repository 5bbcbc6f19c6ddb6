import { drizzle, type Transaction } from "@sabika/database";
import type { SignedAct } from "@sabika/identity/signatures";
import { acts } from "./people_tables.ts";

/** What authorises an act: a person's signature, or the reason for breaking the glass. */
export type Warrant = PersonsWarrant | { readonly breakGlass: string };

/** A signed act whose signature was verified, with the person and the key that signed it. */
export interface PersonsWarrant {
  readonly signed: SignedAct;
  readonly operatorId: number;
  readonly keyId: string;
  /** Whether the act was recorded already, when it was requested. */
  readonly isRecorded?: boolean;
}

/** Returns a recorded act as it was signed. */
export function signedActOf(row: typeof acts.$inferSelect): SignedAct {
  return {
    id: row.actId,
    name: row.name,
    argumentsText: row.arguments,
    signedAtMs: row.signedAt,
    signature: row.signature,
  };
}

/** Returns the id of the act that was signed; null where nobody signs. */
export function actIdOf({ warrant }: { warrant?: Warrant | undefined }): string | null {
  return warrant !== undefined && "signed" in warrant ? warrant.signed.id : null;
}

/**
 * Records a signed act once, and returns its part of the audit entry; undefined without a warrant.
 * Throws when the act's id is known, or the key does not belong to an enabled person now.
 */
export async function recordWarrant(
  sql: Transaction,
  warrant: Warrant | undefined,
): Promise<{ act: string; signature: string } | { break_glass: string } | undefined> {
  if (warrant === undefined) return undefined;
  if ("breakGlass" in warrant) return { break_glass: warrant.breakGlass };
  const { signed: { id, name, argumentsText, signedAtMs, signature }, operatorId, keyId } = warrant;
  if (warrant.isRecorded !== true) {
    await drizzle(sql).insert(acts).values({
      actId: id,
      name,
      arguments: argumentsText,
      signedAt: signedAtMs,
      operatorId,
      keyId,
      signature,
    });
  }
  return { act: id, signature };
}
