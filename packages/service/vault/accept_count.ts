import { refuse } from "@sabika/protocol";
import { eq, sql as expression } from "drizzle-orm";
import { drizzle } from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { lockVault } from "./lock_vault.ts";
import { vaultCountAcceptances, vaultCounts } from "./tables.ts";

/**
 * Accepts what a count found, once (Decision D104): its differences stop no allocation any more. It changes no bar, and
 * the count goes on saying what it found.
 */
export function acceptCount(
  admin: AdminContext,
  countId: string,
  reason: string,
): Promise<AdminOutcome<null>> {
  return inTransaction<null>(admin, async (sql) => {
    await lockVault(sql);
    const [count] = await drizzle(sql).select().from(vaultCounts)
      .where(eq(expression`${vaultCounts.countId}::text`, countId));
    if (count === undefined) return refuse("not_found", `there is no count ${countId}`);
    const open = await sql<{ serial: string }[]>`
      select serial from open_differences(null) where count_id = ${countId}::uuid order by serial`;
    if (open.length === 0) {
      return refuse("invalid_state", `the count ${countId} has no open difference`);
    }
    const acceptance = { countId, reason, acceptedAt: admin.now() };
    await drizzle(sql).insert(vaultCountAcceptances).values(acceptance);
    const serials = open.map(({ serial }) => serial);
    await writeAudit(sql, admin, "vault.count.accept", null, { count: countId, reason, serials });
    return { ok: true, value: null };
  });
}
