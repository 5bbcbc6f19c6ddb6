import { eq, isNull, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle, mapConcurrently, type Sql } from "@sabika/database";
import { accounts } from "../ledger/tables.ts";
import { partners } from "../partners/tables.ts";
import { vault, vaultBars } from "./tables.ts";

/** The bars in the vault, of all pools, and what is allocated of them. */
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
  const totals = db.select({
    barsMicrograms: expression<bigint>`sum(${vault.barsMicrograms})::bigint`.as("bars_of_all"),
    allocatedMicrograms: expression<bigint>`sum(${vault.allocatedMicrograms})::bigint`.as(
      "allocated_of_all",
    ),
  }).from(vault).as("totals");
  const rows = await db.select({
    totals: {
      barsMicrograms: totals.barsMicrograms,
      allocatedMicrograms: totals.allocatedMicrograms,
    },
    bars: expression<bigint>`${db.$count(vaultBars, isNull(vaultBars.removedAt))}`,
    ...HELD,
  }).from(totals).leftJoin(accounts, expression`true`)
    .leftJoin(partners, eq(partners.partnerId, accounts.partnerId)).orderBy(partners.clientId);
  const [first] = rows as [typeof rows[0]];
  const others = await mapConcurrently(cells, (cell) =>
    drizzle(cell).select(HELD).from(accounts)
      .innerJoin(partners, eq(partners.partnerId, accounts.partnerId)).orderBy(partners.clientId));
  const { bars } = first;
  const barsMicrograms = BigInt(first.totals.barsMicrograms);
  const allocatedMicrograms = BigInt(first.totals.allocatedMicrograms);
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
  const rows = await drizzle(sql).select().from(vault);
  return rows.reduce((sum, row) => sum + row.barsMicrograms - row.allocatedMicrograms, 0n);
}

const HELD = {
  clientId: partners.clientId,
  goldMicrograms: accounts.goldMicrograms,
  allocationMicrograms: accounts.allocationMicrograms,
};
