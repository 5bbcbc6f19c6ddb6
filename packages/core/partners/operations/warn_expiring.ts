import { EXPIRING_CREDENTIAL, formatTime, uuidV7 } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import { type CredentialEntry, listCredentials } from "./list_credentials.ts";

/** How many days ahead warnings are sent. */
const WARNING_DAYS = [1, 7, 14, 30] as const;

const DAY_MS = 86_400_000;

/** The warning due for a credential, if any: the nearest of 30, 14, 7 and 1 days. */
export function dueWarning(credential: CredentialEntry, nowMs: number): number | undefined {
  if (credential.state !== "active" || credential.validUntilMs === null) return undefined;
  const leftMs = credential.validUntilMs - nowMs;
  return WARNING_DAYS.find((days) => leftMs <= days * DAY_MS);
}

/**
 * Sends every warning that is due and not yet sent, as a `credential.expiring` event (Decision
 * D34). A server calls it periodically; concurrent calls send each warning once.
 *
 * @returns how many were sent
 */
export async function warnExpiringCredentials(options: {
  database: Database;
  nowMs: number;
  random: (length: number) => Uint8Array;
}): Promise<number> {
  const { database: { sql }, nowMs, random } = options;
  let given = 0;
  for (const credential of await listCredentials(sql, nowMs)) {
    const days = dueWarning(credential, nowMs);
    if (days === undefined) continue;
    const { partnerId, kind, credentialId, validUntilMs } = credential;
    const object = EXPIRING_CREDENTIAL.write({
      kind,
      credentialId,
      expiresAtMs: validUntilMs!,
      daysLeft: Math.ceil((validUntilMs! - nowMs) / DAY_MS),
    });
    const [row] = await sql<{ isNew: boolean }[]>`
      select warn_expiring(${partnerId}::integer, ${kind}, ${credentialId}, ${days}::integer,
        ${uuidV7(nowMs, random)}::uuid, ${formatTime(nowMs)}::timestamptz, ${object}) as "isNew"`;
    if (row!.isNew) given += 1;
  }
  return given;
}
