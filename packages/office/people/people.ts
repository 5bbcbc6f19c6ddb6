import { type PublicJwk, refuse } from "@sabika/protocol";
import { and, eq, gt, isNull, or, sql as expression } from "drizzle-orm";
import { drizzle, type Transaction } from "@sabika/database";
import {
  type AdminContext,
  type AuditDetail,
  inTransaction,
  notAfterNow,
  office,
  operatorKeys,
  operatorRoles,
  operators,
  recordWarrant,
  writeAudit,
} from "@sabika/service/audit";
import {
  type ActName,
  type AdminOutcome,
  type AdminRefusal,
  type Role,
  ROLES,
} from "@sabika/terms";
import { readPublicKey } from "./read_public_key.ts";

/** Whether a text can be a person's name. */
export const isPersonName = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text);

/** Adds a person, with any number of roles; a name that exists is refused with `already_exists`. */
export function addOperator(
  admin: AdminContext,
  name: string,
  roles: readonly Role[],
): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    if (!isPersonName(name)) {
      return refuse(
        "invalid_name",
        "a person's name has 1 to 64 lower-case letters, digits and . _ -",
      );
    }
    const wrong = roles.map(unknownRole).find((refusal) => refusal !== undefined);
    if (wrong !== undefined) return wrong;
    const [added] = await drizzle(sql).insert(operators).values({ name })
      .onConflictDoNothing({ target: operators.name }).returning();
    if (added === undefined) {
      return refuse("already_exists", `there is a person called "${name}" already`);
    }
    for (const role of new Set(roles)) {
      await drizzle(sql).insert(operatorRoles).values({ operatorId: added.operatorId, role });
    }
    await writeAudit(sql, admin, "operator.add", null, { operator: name, roles: [...roles] });
    return { ok: true, value: null };
  });
}

/** Enables or disables a person; while disabled, none of their keys signs. */
export function setOperatorEnabled(
  admin: AdminContext,
  name: string,
  enabled: boolean,
): Promise<AdminOutcome<null>> {
  const action = enabled ? "operator.enable" : "operator.disable";
  return changeOperator(admin, name, action, async (sql, { operatorId, enabled: before }) => {
    if (before === enabled) {
      return refuse("invalid_state", `"${name}" is ${enabled ? "enabled" : "disabled"} already`);
    }
    await drizzle(sql).update(operators).set({ enabled })
      .where(eq(operators.operatorId, operatorId));
    return {};
  });
}

/** Gives a person a role. */
export function addRole(
  admin: AdminContext,
  name: string,
  role: Role,
): Promise<AdminOutcome<null>> {
  return changeOperator(admin, name, "operator.role.add", async (sql, { operatorId }) => {
    const added = unknownRole(role) ??
      await drizzle(sql).insert(operatorRoles).values({ operatorId, role })
        .onConflictDoNothing().returning();
    if ("ok" in added) return added;
    if (added.length === 0) return refuse("already_exists", `"${name}" has the role ${role}`);
    return { role };
  });
}

/** Takes a role from a person. */
export function removeRole(
  admin: AdminContext,
  name: string,
  role: Role,
): Promise<AdminOutcome<null>> {
  return changeOperator(admin, name, "operator.role.remove", async (sql, { operatorId }) => {
    const removed = await drizzle(sql).delete(operatorRoles)
      .where(and(eq(operatorRoles.operatorId, operatorId), eq(operatorRoles.role, role)))
      .returning();
    if (removed.length === 0) return refuse("not_found", `"${name}" lacks the role ${role}`);
    return { role };
  });
}

/**
 * Registers a public key of a person; their other keys stay valid. Refuses a key that is or was
 * registered, with `key_in_use`.
 *
 * @param text PEM or JWK
 */
export async function addOperatorKey(
  admin: AdminContext,
  name: string,
  text: string,
): Promise<AdminOutcome<{ keyId: string }>> {
  const key = await readPublicKey(text);
  if (key === undefined) {
    return refuse("invalid_signing_key", KEY_FORM);
  }
  const { keyId } = key;
  const added = await changeOperator(
    admin,
    name,
    "operator.key.add",
    async (sql, { operatorId }) => {
      return await insertKey(sql, admin, operatorId, key) ?? { keyId };
    },
  );
  return added.ok ? { ok: true, value: { keyId } } : added;
}

/**
 * Registers a new key of the person who signs the act; all their other keys end now.
 *
 * @param text PEM or JWK
 */
export async function rotateOperatorKey(
  admin: AdminContext,
  text: string,
): Promise<AdminOutcome<{ keyId: string }>> {
  const { warrant } = admin;
  if (warrant === undefined || "breakGlass" in warrant) {
    return refuse("person_required", "a person rotates their own key, with the old one");
  }
  const { operatorId } = warrant;
  const key = await readPublicKey(text);
  if (key === undefined) return refuse("invalid_signing_key", KEY_FORM);
  return await inTransaction(admin, async (sql) => {
    await lockPeople(sql);
    const [operator] = await drizzle(sql).select().from(operators)
      .where(eq(operators.operatorId, operatorId)).for("no key update");
    // The old key signs this act, so it is recorded before the key's end.
    if (warrant.isRecorded !== true) await recordWarrant(sql, warrant);
    await endKeys(sql, operatorId);
    const refusal = await insertKey(sql, admin, operatorId, key);
    if (refusal !== undefined) return refusal;
    const recorded = { ...admin, warrant: { ...warrant, isRecorded: true } };
    const { keyId } = key;
    await writeAudit(sql, recorded, "operator.key.rotate", null, {
      operator: operator!.name,
      keyId,
    });
    return { ok: true, value: { keyId } };
  });
}

/** Ends a key of a person now. */
export function endOperatorKey(
  admin: AdminContext,
  name: string,
  keyId: string,
): Promise<AdminOutcome<null>> {
  return changeOperator(admin, name, "operator.key.end", async (sql, { operatorId }) => {
    if (await endKeys(sql, operatorId, keyId) === 0) {
      return refuse("not_found", `"${name}" has no key ${keyId} that is valid`);
    }
    return { keyId };
  });
}

const KEY_FORM = "a person's key is a public key on P-256, as PEM or JWK";

async function insertKey(
  sql: Transaction,
  admin: AdminContext,
  operatorId: number,
  key: { keyId: string; publicJwk: PublicJwk },
): Promise<AdminRefusal | undefined> {
  const rows = await drizzle(sql).insert(operatorKeys)
    .values({ ...key, operatorId, validFrom: notAfterNow(admin.now()) })
    .onConflictDoNothing().returning();
  if (rows.length === 1) return undefined;
  return refuse("key_in_use", `the key ${key.keyId} is or was somebody's: make a new one`);
}

/** Ends a person's valid keys, or one of them; returns how many ended. */
async function endKeys(sql: Transaction, operatorId: number, keyId?: string): Promise<number> {
  const { validUntil } = operatorKeys;
  const now = expression`clock_timestamp()`;
  const ended = await drizzle(sql).update(operatorKeys).set({ validUntil: now }).where(and(
    eq(operatorKeys.operatorId, operatorId),
    keyId === undefined ? undefined : eq(operatorKeys.keyId, keyId),
    or(isNull(validUntil), gt(validUntil, now)),
  )).returning();
  return ended.length;
}

function unknownRole(role: Role): AdminRefusal | undefined {
  if (ROLES.includes(role)) return undefined;
  return refuse("invalid_setting", `a role is one of ${ROLES.join(", ")}`);
}

type Row = typeof operators.$inferSelect;

/** Changes one person, locked, with an audit entry; refuses with `not_found` for an unknown name. */
export function changeOperator(
  admin: AdminContext,
  name: string,
  action: ActName,
  body: (sql: Transaction, operator: Row) => Promise<AuditDetail | AdminRefusal>,
): Promise<AdminOutcome<null>> {
  return inTransaction(admin, async (sql) => {
    await lockPeople(sql);
    const [operator] = await drizzle(sql).select().from(operators)
      .where(eq(operators.name, name)).for("no key update");
    if (operator === undefined) {
      return refuse("not_found", `there is nobody called "${name}"`);
    }
    const changed = await body(sql, operator);
    if (isRefusal(changed)) return changed;
    await writeAudit(sql, admin, action, null, { operator: name, ...changed });
    return { ok: true, value: null };
  });
}

/** Has acts on people follow one another: each also locks the row of who signed it, which another may change. */
export async function lockPeople(sql: Transaction): Promise<void> {
  await drizzle(sql).select().from(office).for("no key update");
}

function isRefusal(value: AuditDetail | AdminRefusal): value is AdminRefusal {
  return value["ok"] === false;
}
