import type { Sql } from "../store/database.ts";
import { changePartner } from "../admin/change.ts";
import type { AdminContext } from "../admin/admin_context.ts";
import { type Done, refused } from "../admin/refused.ts";
import { formatMicrograms, uuidV7 } from "@sabika/protocol";
import { changeVault } from "./bars.ts";

/** What a partner may still sell to its customers, after the change. */
export interface Allocation {
  allocationMicrograms: bigint;
}

/**
 * Sets gold of the vault aside for a partner: its orders take from it (Decision D39). The vault's row keeps
 * the promise that all of it exists, and no order touches that row.
 */
export function allocate(
  admin: AdminContext,
  clientId: string,
  micrograms: bigint,
): Promise<Done<Allocation>> {
  return change(admin, clientId, micrograms, "allocation");
}

/** Gives allocated gold back to the vault. */
export function release(
  admin: AdminContext,
  clientId: string,
  micrograms: bigint,
): Promise<Done<Allocation>> {
  return change(admin, clientId, micrograms, "release");
}

function change(
  admin: AdminContext,
  clientId: string,
  micrograms: bigint,
  kind: "allocation" | "release",
): Promise<Done<Allocation>> {
  const action = kind === "allocation" ? "vault.allocate" : "vault.release";
  return changePartner(admin, clientId, action, async (sql, { partnerId }) => {
    if (micrograms <= 0n) return refused("invalid_amount", "the quantity is above zero");
    const signed = kind === "allocation" ? micrograms : -micrograms;
    // The partner's row first, then the vault's: everybody who takes both takes them so.
    const [account] = await sql<{ number: bigint; allocationMicrograms: bigint }[]>`
      update accounts set allocation_micrograms = allocation_micrograms + ${signed},
        vault_micrograms = vault_micrograms - ${signed}, last_transfer = last_transfer + 1
      where partner_id = ${partnerId} and allocation_micrograms + ${signed} >= 0
      returning last_transfer as number, allocation_micrograms as "allocationMicrograms"`;
    if (account === undefined) {
      return refused(
        "insufficient_allocation",
        `"${clientId}" has less than ${formatMicrograms(micrograms)} g allocated`,
      );
    }
    if (!await changeVault(sql, "allocated", signed)) {
      return refused(
        "insufficient_vault",
        `the vault has less than ${formatMicrograms(micrograms)} g that is not promised`,
      );
    }
    const [debit, credit] = kind === "allocation"
      ? ["vault", "allocation"]
      : ["allocation", "vault"];
    await sql`
      insert into transfers (partner_id, number, amount, posted_at, source_id, asset,
        debit_account, credit_account, source_kind)
      values (${partnerId}, ${account.number}, ${micrograms},
        date_trunc('milliseconds', clock_timestamp()),
        ${uuidV7(admin.now(), admin.random)}, 'XAU', ${debit!}, ${credit!}, ${kind})`;
    const { allocationMicrograms } = account;
    return {
      ok: true,
      value: { allocationMicrograms },
      audit: { grams: formatMicrograms(micrograms) },
    };
  });
}

/** The vault against its promises. */
export interface VaultReport {
  bars: number;
  barsMicrograms: bigint;
  /** All that partners hold or may sell. */
  promisedMicrograms: bigint;
  freeMicrograms: bigint;
  partners: { clientId: string; goldMicrograms: bigint; allocationMicrograms: bigint }[];
}

/** Reads the vault and every partner's gold in one statement, so from one snapshot. */
export async function readVaultReport(sql: Sql): Promise<VaultReport> {
  type Row = {
    bars: number;
    barsMicrograms: bigint;
    allocated: bigint;
    clientId: string | null;
    gold: bigint;
    allocation: bigint;
  };
  const rows = await sql<Row[]>`
    select (select count(*)::int from vault_bars where removed_at is null) as bars,
      v.bars_micrograms as "barsMicrograms", v.allocated_micrograms as allocated,
      p.client_id as "clientId", a.gold_micrograms as gold, a.allocation_micrograms as allocation
    from vault v left join (accounts a join partners p using (partner_id)) on true
    order by p.client_id`;
  const [first] = rows;
  if (first === undefined) throw new Error("the vault has no row");
  return {
    bars: first.bars,
    barsMicrograms: first.barsMicrograms,
    promisedMicrograms: first.allocated,
    freeMicrograms: first.barsMicrograms - first.allocated,
    partners: rows.flatMap((row) =>
      row.clientId === null ? [] : [{
        clientId: row.clientId,
        goldMicrograms: row.gold,
        allocationMicrograms: row.allocation,
      }]
    ),
  };
}
