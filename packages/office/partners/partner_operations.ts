import { refuse } from "@sabika/protocol";
import { and, eq } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import { changePartner, type LockedPartner } from "@sabika/service/audit";
import { type PartnerChanges, partners, sourceAddresses } from "@sabika/service/partners";
import { type AdminOutcome, readIban, readPartnerName } from "@sabika/terms";
import { readCidr } from "@sabika/terms/addresses";
import { auditOf, checkSettings } from "./check_settings.ts";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** Changes a partner's name and settings; what is left out stays as it is. */
export function updatePartner(
  admin: PartnerAdminContext,
  clientId: string,
  changes: PartnerChanges,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "partner.update", async (sql, partner) => {
    const name = readPartnerName(changes.name ?? partner.name);
    if (!name.ok) return name;
    const wrong = checkSettings(changes, partner);
    if (wrong !== undefined) return refuse("invalid_setting", wrong);
    if (changes.vatPpm !== undefined && partner.taxes !== null) {
      return refuse(
        "invalid_state",
        `the VAT of "${clientId}" has dates: sabika tax set changes it`,
      );
    }
    await setPartner(sql, partner, {
      ...changes,
      name: name.value,
      rateLimits: { ...partner.rateLimits, ...changes.rateLimits },
    });
    const before = Object.fromEntries(
      Object.keys(auditOf(changes)).map((key) => [key, partner[key as keyof LockedPartner]]),
    );
    // By the rates before, sums of the policy count how far rates moved (Decision D87).
    const audit = { ...auditOf(changes), before: JSON.stringify(auditOf(before)) };
    return { ok: true, value: null, audit };
  });
}

async function setPartner(
  sql: Transaction,
  { partnerId }: LockedPartner,
  values: Partial<LockedPartner>,
): Promise<void> {
  await drizzle(sql).update(partners).set(values).where(eq(partners.partnerId, partnerId));
}

/** Suspends a partner (403 `partner_suspended` within a second), or resumes it. */
export function setPartnerStatus(
  admin: PartnerAdminContext,
  clientId: string,
  status: "active" | "suspended",
): Promise<AdminOutcome<null>> {
  const action = status === "active" ? "partner.resume" : "partner.suspend";
  return changePartner(admin, clientId, action, async (sql, partner) => {
    if (partner.status === status) {
      return refuse("invalid_state", `"${clientId}" is ${status} already`);
    }
    await setPartner(sql, partner, { status });
    return { ok: true, value: null, audit: {} };
  });
}

/** Sets the IBAN for withdrawals (Decision D13), returned without spaces; earlier withdrawals keep theirs. */
export function setIban(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<AdminOutcome<string>> {
  return changePartner(admin, clientId, "iban.set", async (sql, partner) => {
    const iban = readIban(text);
    if (!iban.ok) return iban;
    await setPartner(sql, partner, { settlementIban: iban.value });
    const audit = { before: partner.settlementIban, after: iban.value };
    return { ok: true, value: iban.value, audit };
  });
}

/** Allows a source address, and returns it as a CIDR. With the first, all others are refused. */
export function addAddress(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<AdminOutcome<string>> {
  return changePartner(admin, clientId, "address.add", async (sql, { partnerId }) => {
    const cidr = readCidr(text);
    if (!cidr.ok) return cidr;
    const added = await drizzle(sql).insert(sourceAddresses)
      .values({ partnerId, cidr: cidr.value }).onConflictDoNothing().returning();
    if (added.length === 0) {
      return refuse("already_exists", `"${clientId}" may call from ${cidr.value} already`);
    }
    return { ok: true, value: cidr.value, audit: { cidr: cidr.value } };
  });
}

/** Removes a source address; production refuses to remove the last one. Without any, all are allowed. */
export function removeAddress(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<AdminOutcome<string>> {
  return changePartner(admin, clientId, "address.remove", async (sql, { partnerId }) => {
    const cidr = readCidr(text);
    if (!cidr.ok) return cidr;
    const { partnerId: ownerId, cidr: column } = sourceAddresses;
    const registered = await drizzle(sql).select({ cidr: column }).from(sourceAddresses)
      .where(eq(ownerId, partnerId));
    if (!registered.some((address) => address.cidr === cidr.value)) {
      return refuse("not_found", `"${clientId}" has no source address ${cidr.value}`);
    }
    if (admin.environment === "production" && registered.length === 1) {
      return refuse(
        "invalid_state",
        `${cidr.value} is the last source address: add another first`,
      );
    }
    await drizzle(sql).delete(sourceAddresses)
      .where(and(eq(ownerId, partnerId), eq(column, cidr.value)));
    return { ok: true, value: cidr.value, audit: { cidr: cidr.value } };
  });
}
