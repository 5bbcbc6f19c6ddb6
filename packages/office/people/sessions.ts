import { encodeBase64Url, encodeUtf8 } from "@sabika/protocol";
import { and, eq, gt, isNull, lte, or } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import {
  operatorChallenges,
  operatorIdentities,
  operatorKeys,
  operatorNonces,
  operatorRoles,
  operators,
  operatorSessions,
} from "@sabika/service/audit";
import type { Person } from "./person.ts";

/** A session ends after a working day, or after half an hour without use. */
const SESSION_MS = 8 * 3_600_000;
const IDLE_MS = 30 * 60_000;
/** How often a session's last use is noted. */
const SEEN_MS = 60_000;
/** How long a challenge may be answered. */
const CHALLENGE_MS = 5 * 60_000;
/** Longer than a signed request stays valid: its time may be 5 minutes off either way (Decision D24). */
const NONCE_MS = 11 * 60_000;
const TOKEN_BYTES = 32;

/** The context for opening a session. */
export interface SignInContext {
  readonly sql: AnySql;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly random: (length: number) => Uint8Array;
}

/** The means of a sign-in: a passkey, or an identity at the company's provider. */
export type SignedInBy = { readonly keyId: string } | { readonly identityId: number };

/** Makes a challenge for a passkey to sign at sign-in, which {@linkcode takeChallenge} takes once. */
export async function makeChallenge({ sql, nowMs, random }: SignInContext): Promise<Uint8Array> {
  const challenge = random(TOKEN_BYTES);
  await drizzle(sql).delete(operatorChallenges).where(lte(operatorChallenges.expiresAt, nowMs));
  await drizzle(sql).insert(operatorChallenges)
    .values({ challenge, expiresAt: nowMs + CHALLENGE_MS });
  return challenge;
}

/** Uses a challenge up; false when the office did not make it, or it was used before or is too old. */
export async function takeChallenge(
  { sql, nowMs }: Pick<SignInContext, "sql" | "nowMs">,
  challenge: Uint8Array,
): Promise<boolean> {
  const taken = await drizzle(sql).delete(operatorChallenges)
    .where(eq(operatorChallenges.challenge, challenge)).returning();
  return taken.some(({ expiresAt }) => expiresAt > nowMs);
}

/**
 * Opens a session; only its token's hash is kept.
 *
 * @returns the token in base64url, for the person's cookie and nowhere else, and when the session ends
 */
export async function openSession(
  { sql, nowMs, random }: SignInContext,
  { operatorId, from, ...by }: { operatorId: number; from: string } & SignedInBy,
): Promise<{ token: string; expiresAtMs: number }> {
  const token = encodeBase64Url(random(TOKEN_BYTES));
  const expiresAtMs = nowMs + SESSION_MS;
  await drizzle(sql).delete(operatorSessions).where(lte(operatorSessions.expiresAt, nowMs));
  await drizzle(sql).insert(operatorSessions).values({
    sessionHash: await hashSessionToken(token),
    ...by,
    operatorId,
    signedInFrom: from,
    createdAt: nowMs,
    lastSeenAt: nowMs,
    expiresAt: expiresAtMs,
  });
  return { token, expiresAtMs };
}

/**
 * Finds whose session this is, and notes that it was used. Undefined when the session, its passkey or its
 * identity has ended, or its person is disabled.
 */
export async function findSession(
  { sql, nowMs }: Pick<SignInContext, "sql" | "nowMs">,
  token: string,
): Promise<Person | undefined> {
  const sessionHash = await hashSessionToken(token);
  const rows = await drizzle(sql)
    .select({ session: operatorSessions, name: operators.name, role: operatorRoles.role })
    .from(operatorSessions)
    .innerJoin(operators, eq(operators.operatorId, operatorSessions.operatorId))
    .leftJoin(operatorKeys, eq(operatorKeys.keyId, operatorSessions.keyId))
    .leftJoin(operatorIdentities, eq(operatorIdentities.identityId, operatorSessions.identityId))
    .leftJoin(operatorRoles, eq(operatorRoles.operatorId, operatorSessions.operatorId))
    .where(and(
      eq(operatorSessions.sessionHash, sessionHash),
      gt(operatorSessions.expiresAt, nowMs),
      gt(operatorSessions.lastSeenAt, nowMs - IDLE_MS),
      operators.enabled,
      or(isNull(operatorKeys.validUntil), gt(operatorKeys.validUntil, nowMs)),
      isNull(operatorIdentities.validUntil),
    ));
  const [row] = rows;
  if (row === undefined) return undefined;
  const { session: { operatorId, keyId, lastSeenAt, expiresAt }, name } = row;
  if (nowMs - lastSeenAt >= SEEN_MS) {
    await drizzle(sql).update(operatorSessions).set({ lastSeenAt: nowMs })
      .where(eq(operatorSessions.sessionHash, sessionHash));
  }
  const roles = rows.flatMap(({ role }) => role === null ? [] : [role]);
  return { operatorId, name, roles, keyId, signedInUntilMs: expiresAt };
}

/** Ends the session of a token, or of its {@linkcode hashSessionToken}; does nothing for an unknown one. */
export async function endSession(sql: AnySql, session: string | Uint8Array): Promise<void> {
  const hash = typeof session === "string" ? await hashSessionToken(session) : session;
  await drizzle(sql).delete(operatorSessions).where(eq(operatorSessions.sessionHash, hash));
}

/** Spends the nonce of a signed request; false when the key has spent it before. */
export async function spendOperatorNonce(
  { sql, nowMs }: Pick<SignInContext, "sql" | "nowMs">,
  signed: { keyId: string; nonce: string },
): Promise<boolean> {
  await drizzle(sql).delete(operatorNonces).where(lte(operatorNonces.signedAt, nowMs - NONCE_MS));
  const spent = await drizzle(sql).insert(operatorNonces).values({ ...signed, signedAt: nowMs })
    .onConflictDoNothing().returning();
  return spent.length > 0;
}

/** Returns the SHA-256 of a session's token, which is all that is kept: it opens no session. */
export async function hashSessionToken(token: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encodeUtf8(token)));
}
