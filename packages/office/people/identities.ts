import { refuse } from "@sabika/protocol";
import { and, eq, isNull, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import {
  type AdminContext,
  operatorIdentities,
  operatorRoles,
  operators,
} from "@sabika/service/audit";
import type { AdminOutcome, Role } from "@sabika/terms";
import { changeOperator } from "./people.ts";

/** The longest `sub` (OpenID Connect Core 1.0 §2); an issuer may be as long. */
const MOST_CHARACTERS = 255;

/** A person's identity at an OpenID provider: `iss` and `sub` of its ID tokens. */
export interface Identity {
  /** As the provider writes it: `https://login.bank.example`. */
  readonly issuer: string;
  /** The provider's permanent id of the person; not an e-mail address, which others may get later. */
  readonly subject: string;
}

/**
 * Registers a person's identity at the company's provider (Decision D84): it signs them in, and signs no act.
 */
export async function addIdentity(
  admin: AdminContext,
  name: string,
  { issuer, subject }: Identity,
): Promise<AdminOutcome<null>> {
  if (!/^https?:\/\/[^\s?#]+$/.test(issuer) || issuer.length > MOST_CHARACTERS) {
    return refuse("invalid_setting", "an issuer is a URL without query, as its ID tokens have it");
  }
  if (!/^[\x20-\x7e]+$/.test(subject) || subject.length > MOST_CHARACTERS) {
    return refuse("invalid_setting", "a subject is what the provider's ID tokens have as sub");
  }
  return await changeOperator(admin, name, "operator.identity.add", async (sql, person) => {
    const [added] = await drizzle(sql).insert(operatorIdentities)
      .values({ operatorId: person.operatorId, issuer, subject })
      .onConflictDoNothing().returning();
    return added === undefined
      ? refuse("already_exists", "somebody is known by that identity already")
      : { issuer, subject };
  });
}

/** Ends a person's identity, and every session that it opened, now. */
export function endIdentity(
  admin: AdminContext,
  name: string,
  { issuer, subject }: Identity,
): Promise<AdminOutcome<null>> {
  return changeOperator(admin, name, "operator.identity.end", async (sql, { operatorId }) => {
    const ended = await drizzle(sql).update(operatorIdentities)
      .set({ validUntil: expression`clock_timestamp()` })
      .where(and(eq(operatorIdentities.operatorId, operatorId), isValid({ issuer, subject })))
      .returning();
    if (ended.length > 0) return { issuer, subject };
    return refuse("not_found", `"${name}" is not known by that identity`);
  });
}

/** Finds the enabled person whose identity this is; undefined when there is none. */
export async function findIdentity(sql: AnySql, identity: Identity): Promise<
  { operatorId: number; identityId: number; name: string; roles: readonly Role[] } | undefined
> {
  const { operatorId } = operators;
  const rows = await drizzle(sql)
    .select({
      operatorId,
      name: operators.name,
      role: operatorRoles.role,
      identityId: operatorIdentities.identityId,
    })
    .from(operatorIdentities).innerJoin(operators, eq(operatorId, operatorIdentities.operatorId))
    .leftJoin(operatorRoles, eq(operatorRoles.operatorId, operatorId))
    .where(and(isValid(identity), operators.enabled));
  const [row] = rows;
  if (row === undefined) return undefined;
  const { role: _, ...person } = row;
  return { ...person, roles: rows.flatMap(({ role }) => role === null ? [] : [role]) };
}

function isValid({ issuer, subject }: Identity) {
  return and(
    eq(operatorIdentities.issuer, issuer),
    eq(operatorIdentities.subject, subject),
    isNull(operatorIdentities.validUntil),
  );
}
