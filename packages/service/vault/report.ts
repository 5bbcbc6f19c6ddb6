import { eq, isNull, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle, mapConcurrently, type Sql } from "@sabika/database";
import { accounts } from "../ledger/tables.ts";
import { partners } from "../partners/tables.ts";
import { vault, vaultBars } from "./tables.ts";

/** The bars in the vault and what is allocated of them. */
export interface VaultReport {
  bars: number;
  barsMicrograms: bigint;
  /** All that partners hold or may sell. */
  promisedMicrograms: bigint;
  freeMicrograms: bigint;
  partners: { clientId: string; goldMicrograms: bigint; allocationMicrograms: bigint }[];
}

/**
 * Reads the vault and every partner's gold: control's database in one snapshot, the other cells after it.
 *
 * @param cells the databases of the other cells
 */
export async function readVaultReport(sql: Sql, cells: readonly Sql[] = []): Promise<VaultReport> {
  const db = drizzle(sql);
  const rows = await db.select({
    vault,
    bars: expression<bigint>`${db.$count(vaultBars, isNull(vaultBars.removedAt))}`,
    ...HELD,
  }).from(vault).leftJoin(accounts, expression`true`)
    .leftJoin(partners, eq(partners.partnerId, accounts.partnerId)).orderBy(partners.clientId);
  const [first] = rows;
  if (first === undefined) throw new Error("the vault has no row");
  const others = await mapConcurrently(cells, (cell) =>
    drizzle(cell).select(HELD).from(accounts)
      .innerJoin(partners, eq(partners.partnerId, accounts.partnerId)).orderBy(partners.clientId));
  const { bars, vault: { barsMicrograms, allocatedMicrograms } } = first;
  return {
    bars: Number(bars),
    barsMicrograms,
    promisedMicrograms: allocatedMicrograms,
    freeMicrograms: barsMicrograms - allocatedMicrograms,
    partners: [...rows, ...others.flat()].flatMap((
      { clientId, goldMicrograms, allocationMicrograms },
    ) =>
      clientId === null ? [] : [{
        clientId,
        goldMicrograms: goldMicrograms!,
        allocationMicrograms: allocationMicrograms!,
      }]
    ),
  };
}

/** Reads how much gold in the vault is allocated to nobody, in micrograms. */
export async function readFreeMicrograms(sql: AnySql): Promise<bigint> {
  const [row] = await drizzle(sql).select().from(vault);
  if (row === undefined) throw new Error("the vault has no row");
  return row.barsMicrograms - row.allocatedMicrograms;
}

const HELD = {
  clientId: partners.clientId,
  goldMicrograms: accounts.goldMicrograms,
  allocationMicrograms: accounts.allocationMicrograms,
};
