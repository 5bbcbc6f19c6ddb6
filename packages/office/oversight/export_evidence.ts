import type { EvidenceFileHead, ExportedFact, ExportedKey } from "@sabika/protocol";
import { asc, eq } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import { readSignedFacts } from "@sabika/service/evidence";
import { readPartners, signingKeys } from "@sabika/service/partners";
import { databaseOf, type Databases } from "./in_cells.ts";

/** What is exported: of one partner or of all, by the moment of receipt, epoch milliseconds. */
export interface EvidencePeriod {
  readonly clientId: string | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Opens an export of evidence (Decision D86), of all cells.
 *
 * @returns the partners' keys, and the facts, partner by partner; undefined for an unknown partner
 */
export async function openEvidence(
  databases: Databases,
  { clientId, ...period }: EvidencePeriod,
): Promise<
  { keys: EvidenceFileHead["keys"]; facts: AsyncIterable<ExportedFact> } | undefined
> {
  const { control } = databases;
  const all = await readPartners(control.sql, -1n);
  const partners = clientId === undefined
    ? all
    : all.filter((partner) => partner.clientId === clientId);
  if (clientId !== undefined && partners.length === 0) return undefined;
  const keys: Record<string, readonly ExportedKey[]> = {};
  for (const { clientId, partnerId } of partners) {
    keys[clientId] = await readExportedKeys(control, partnerId);
  }
  async function* facts(): AsyncIterable<ExportedFact> {
    for (const { clientId, partnerId, cellId } of partners) {
      const { sql } = await databaseOf(databases, cellId);
      for await (const page of readSignedFacts(sql, { partnerId, ...period })) {
        for (const kept of page) yield { clientId, ...kept };
      }
    }
  }
  return { keys, facts: facts() };
}

/** All signing keys that a partner has had, oldest first. */
async function readExportedKeys(
  control: Database,
  partnerId: number,
): Promise<ExportedKey[]> {
  const rows = await drizzle(control.sql).select().from(signingKeys)
    .where(eq(signingKeys.partnerId, partnerId)).orderBy(asc(signingKeys.validFrom));
  return rows.map(({ keyId, publicJwk, validFrom, validUntil }) => ({
    keyId,
    publicJwk,
    validFromMs: validFrom,
    validUntilMs: validUntil,
  }));
}
