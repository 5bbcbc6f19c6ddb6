import { parseId, refuse } from "@sabika/protocol";
import { eq, type SQL } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import { type AdminContext, type LockedPartner, unknownPartner } from "@sabika/service/audit";
import { partners } from "@sabika/service/partners";
import { findPartnerOfWithdrawal } from "@sabika/service/withdrawals";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import { openCell } from "./open_cell.ts";

/** Finds the partner of an act: named by the arguments, or the owner of their withdrawal in any cell. */
export async function findPartnerOf(
  { sql, cells }: Pick<AdminContext, "cells"> & { readonly sql: AnySql },
  { partner, withdrawal }: Readonly<Record<string, unknown>>,
): Promise<AdminOutcome<LockedPartner>> {
  const find = async (condition: SQL) => {
    const [value] = await drizzle(sql).select().from(partners).where(condition);
    return value && { ok: true, value } as const;
  };
  if (typeof partner === "string" && withdrawal === undefined) {
    return await find(eq(partners.clientId, partner)) ?? unknownPartner(partner);
  }
  const unknown = refuse("not_found", `there is no withdrawal ${withdrawal}`);
  const uuid = typeof withdrawal === "string" ? parseId("wd", withdrawal) : undefined;
  if (uuid === undefined) return unknown;
  const owned = (owner: number) => find(eq(partners.partnerId, owner));
  const localOwner = await findPartnerOfWithdrawal(sql, uuid);
  if (localOwner !== undefined) return (await owned(localOwner))!;
  let refusal: AdminRefusal | undefined;
  for (const name of await cells?.names() ?? []) {
    const cell = await openCell({ cells }, name);
    const owner = cell.ok ? await findPartnerOfWithdrawal(cell.value.sql, uuid) : undefined;
    if (owner !== undefined) return (await owned(owner))!;
    if (!cell.ok) refusal = cell;
  }
  return refusal ?? unknown;
}
