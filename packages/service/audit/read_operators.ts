import type { PublicJwk } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import type { Role } from "@sabika/terms";
import { office, operatorKeys, operatorRoles, operators } from "./people_tables.ts";
import { operatorIdentities } from "./sign_in_tables.ts";

/** A public key of a person; the id is its RFC 7638 thumbprint. */
export interface OperatorKey {
  readonly keyId: string;
  readonly publicJwk: PublicJwk;
  readonly validFromMs: number;
  /** Null: no end is set. */
  readonly validUntilMs: number | null;
  /** Of a passkey: its credential id, base64url, and the host that it is bound to. */
  readonly credentialId: string | null;
  readonly rpId: string | null;
}

/** Who somebody is at the company's OpenID provider (Decision D84). */
export interface OperatorIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly validFromMs: number;
  /** Null: it has not ended. */
  readonly validUntilMs: number | null;
}

/** A person who acts for the operator. */
export interface Operator {
  readonly operatorId: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAtMs: number;
  readonly roles: readonly Role[];
  /** Ended ones too, oldest first. */
  readonly keys: readonly OperatorKey[];
  /** Ended ones too, oldest first. */
  readonly identities: readonly OperatorIdentity[];
}

/** Reads when acts began to need a person, epoch ms; null until two administrators have keys. */
export async function readPeopleSince(sql: AnySql): Promise<number | null> {
  // This column alone: whoever migrates is asked for before the table has the others.
  const [row] = await drizzle(sql).select({ peopleSince: office.peopleSince }).from(office);
  return row!.peopleSince;
}

/** Lists all people in the order of their names, or only the person with this name. */
export async function listOperators(sql: AnySql, name?: string): Promise<Operator[]> {
  const db = drizzle(sql);
  const rows = await db.select().from(operators)
    .where(name === undefined ? undefined : eq(operators.name, name)).orderBy(operators.name);
  const roles = await db.select().from(operatorRoles).orderBy(operatorRoles.role);
  const keys = await db.select().from(operatorKeys)
    .orderBy(operatorKeys.validFrom, operatorKeys.keyId);
  const identities = await db.select().from(operatorIdentities)
    .orderBy(operatorIdentities.identityId);
  return rows.map(({ operatorId, createdAt, ...row }) => ({
    ...row,
    operatorId,
    createdAtMs: createdAt,
    roles: roles.filter((role) => role.operatorId === operatorId).map(({ role }) => role),
    keys: keys.filter((key) => key.operatorId === operatorId)
      .map(({ validFrom, validUntil, operatorId: _, ...key }) => ({
        ...key,
        validFromMs: validFrom,
        validUntilMs: validUntil,
      })),
    identities: identities.filter((identity) => identity.operatorId === operatorId)
      .map(({ issuer, subject, validFrom, validUntil }) => ({
        issuer,
        subject,
        validFromMs: validFrom,
        validUntilMs: validUntil,
      })),
  }));
}

/** The owner of a key, with the key, whether it has ended or not. */
export interface Signer extends Pick<Operator, "operatorId" | "name" | "enabled" | "roles"> {
  readonly key: Omit<OperatorKey, "validFromMs">;
}

/** Finds the owner of a key, or of a passkey by its base64url credential id; undefined: nobody's. */
export async function findSigner(
  sql: AnySql,
  by: { keyId: string } | { credentialId: string },
): Promise<Signer | undefined> {
  const { operatorId } = operators;
  const rows = await drizzle(sql)
    .select({ key: operatorKeys, operator: operators, role: operatorRoles.role })
    .from(operatorKeys).innerJoin(operators, eq(operatorId, operatorKeys.operatorId))
    .leftJoin(operatorRoles, eq(operatorRoles.operatorId, operatorId))
    .where(
      "keyId" in by
        ? eq(operatorKeys.keyId, by.keyId)
        : eq(operatorKeys.credentialId, by.credentialId),
    );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { operator: { operatorId: id, name, enabled }, key } = row;
  const { keyId, publicJwk, validUntil: validUntilMs, credentialId, rpId } = key;
  return {
    operatorId: id,
    name,
    enabled,
    roles: rows.flatMap(({ role }) => role === null ? [] : [role]),
    key: { keyId, publicJwk, validUntilMs, credentialId, rpId },
  };
}
