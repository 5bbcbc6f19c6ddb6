import { refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { drizzle } from "@sabika/database";
import { changePartner } from "@sabika/service/audit";
import { MAIN_CELL } from "@sabika/service/cells";
import { lockAccounts } from "@sabika/service/ledger";
import { findOpenMove } from "@sabika/service/moving";
import { partners } from "@sabika/service/partners";
import { findPool } from "@sabika/service/vault";
import type { AdminOutcome } from "@sabika/terms";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import { readAccountsOf } from "./bookings/booking.ts";
import { openCell } from "./open_cell.ts";

/**
 * Has a partner draw on another pool (Decision D102), which is refused while it has gold or an allocation: they are of
 * the bars of its pool. Nothing is allocated to it meanwhile, as the partner's row is locked.
 */
export function setPool(
  admin: PartnerAdminContext,
  clientId: string,
  poolId: string,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "partner.pool.set", async (sql, partner) => {
    const { partnerId, cellId, poolNumber: before } = partner;
    const pool = await findPool(sql, poolId);
    if (pool === undefined) return refuse("not_found", `there is no pool "${poolId}"`);
    const { poolNumber } = pool;
    if (poolNumber === (before ?? 1)) {
      return refuse("invalid_state", `"${clientId}" draws on the pool "${poolId}" already`);
    }
    if (await findOpenMove(sql, partnerId)) {
      return refuse("invalid_state", `"${clientId}" is being moved to another cell`);
    }
    const opened = cellId === MAIN_CELL ? undefined : await openCell(admin, cellId);
    if (opened?.ok === false) return opened;
    if (opened === undefined) await lockAccounts(sql, partnerId);
    const own = await readAccountsOf(opened?.value.sql ?? sql, partnerId);
    const open = await sql`select from cell_acts where partner_id = ${partnerId}::integer
      and name in ('vault.allocate', 'vault.release') and result is null limit 1`;
    const held = own === undefined ? 0n : own.goldMicrograms + own.allocationMicrograms;
    if (held !== 0n || open.length > 0) {
      return refuse("invalid_state", `"${clientId}" has gold or an allocation of its pool`);
    }
    await drizzle(sql).update(partners).set({ poolNumber }).where(
      eq(partners.partnerId, partnerId),
    );
    return { ok: true, value: null, audit: { pool: poolId } };
  });
}
