import { eq, isNull, sql as expression } from "drizzle-orm";
import { lockAccounts } from "../ledger/open_accounts.ts";
import { postTransfer } from "../ledger/post_transfer.ts";
import type { Sql } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { ofEach } from "../store/of_each.ts";
import { accounts, partners, vault, vaultBars } from "../store/schema/mod.ts";
import { changePartner } from "../admin/change.ts";
import type { AdminContext } from "../admin/admin_context.ts";
import type { AdminOutcome, AdminRefusal } from "../admin/refusal.ts";
import { formatMicrograms, refuse, uuidV7 } from "@sabika/protocol";
import { changeVault } from "./bars.ts";

/** What a partner may still sell to its customers, after the change. */
export interface Allocation {
  allocationMicrograms: bigint;
}

/**
 * Allocates gold of the vault to a partner, whose orders draw on it (Decision D39). The vault's row
 * guarantees that all of it exists; no order touches that row.
 */
export function allocate(
  admin: AdminContext,
  clientId: string,
  micrograms: bigint,
): Promise<AdminOutcome<Allocation>> {
  return change(admin, clientId, micrograms, "allocation");
}

/** Gives allocated gold back to the vault. */
export function release(
  admin: AdminContext,
  clientId: string,
  micrograms: bigint,
): Promise<AdminOutcome<Allocation>> {
  return change(admin, clientId, micrograms, "release");
}

function change(
  admin: AdminContext,
  clientId: string,
  micrograms: bigint,
  kind: "allocation" | "release",
): Promise<AdminOutcome<Allocation>> {
  const action = kind === "allocation" ? "vault.allocate" : "vault.release";
  return changePartner(admin, clientId, action, async (sql, { partnerId }) => {
    if (micrograms <= 0n) return notPositive();
    const signed = kind === "allocation" ? micrograms : -micrograms;
    // The partner's row first, then the vault's: everyone who locks both does so in this order.
    await lockAccounts(sql, partnerId);
    const [account] = await drizzle(sql).select().from(accounts)
      .where(eq(accounts.partnerId, partnerId));
    const allocationMicrograms = account!.allocationMicrograms + signed;
    if (allocationMicrograms < 0n) return lessAllocated(clientId, micrograms);
    if (!await changeVault(sql, "allocated", signed)) return lessInVault(micrograms);
    await postTransfer(sql, {
      partnerId,
      asset: "XAU",
      ...(kind === "allocation"
        ? { debit: "vault", credit: "allocation" }
        : { debit: "allocation", credit: "vault" }),
      amount: micrograms,
      sourceKind: kind,
      sourceId: uuidV7(admin.now(), admin.random),
    });
    return {
      ok: true,
      value: { allocationMicrograms },
      audit: { grams: formatMicrograms(micrograms) },
    };
  });
}

/** The refusal for a quantity of nothing. */
export const notPositive = (): AdminRefusal =>
  refuse("invalid_amount", "the quantity is above zero");

/** The refusal for a partner that has less gold allocated. */
export const lessAllocated = (clientId: string, micrograms: bigint): AdminRefusal =>
  refuse(
    "insufficient_allocation",
    `"${clientId}" has less than ${formatMicrograms(micrograms)} g allocated`,
  );

/** The refusal for a vault that has less gold. */
export const lessInVault = (micrograms: bigint): AdminRefusal =>
  refuse(
    "insufficient_vault",
    `the vault has less than ${formatMicrograms(micrograms)} g of unallocated gold`,
  );

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
 * Reads the vault and every partner's gold: in one statement, so from one snapshot, as far as it is
 * control's; other cells after it.
 *
 * @param cells of partners that are not in control's database
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
  const others = await ofEach(cells, (cell) =>
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

const HELD = {
  clientId: partners.clientId,
  goldMicrograms: accounts.goldMicrograms,
  allocationMicrograms: accounts.allocationMicrograms,
};
