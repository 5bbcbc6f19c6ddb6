import { drizzle, type Transaction } from "@sabika/database";
import type { SignedAct } from "@sabika/identity/signatures";
import { acts } from "./people_tables.ts";

/** What an act stands on: a person's signature, or a reason to do without. */
export type Warrant = PersonsWarrant | { readonly breakGlass: string };

/** An act whose signature was verified, and whose key signed it. */
export interface PersonsWarrant {
  readonly signed: SignedAct;
  readonly operatorId: number;
  readonly keyId: string;
  /** It was recorded when it was requested. */
  readonly isRecorded?: boolean;
}

/**
 * Records what was signed, once, and says what the audit entry has of it. The database refuses an
 * act of that id that is there already, and a key that is not an enabled person's now.
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
