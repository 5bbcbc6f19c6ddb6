import { encodeUtf8, EXPIRING_CREDENTIAL, formatTime, uuidV7 } from "@sabika/protocol";
import type { Database, Sql } from "@sabika/database";
import { type CredentialEntry, listCredentials } from "./list_credentials.ts";

/** How many days ahead warnings are sent. */
const WARNING_DAYS = [1, 7, 14, 30] as const;

const DAY_MS = 86_400_000;

/** The warning due for a credential, if any: the nearest of 30, 14, 7 and 1 days. */
export function dueWarning(
  credential: Pick<CredentialEntry, "state" | "validUntilMs">,
  nowMs: number,
): number | undefined {
  if (credential.state !== "active" || credential.validUntilMs === null) return undefined;
  const leftMs = credential.validUntilMs - nowMs;
  return WARNING_DAYS.find((days) => leftMs <= days * DAY_MS);
}

/**
 * Sends every warning that is due and not yet sent, as a `credential.expiring` event (Decision
 * D34). A server calls it periodically; concurrent calls send each warning once.
 *
 * @param options.database control's
 * @param options.databaseOf that of a partner's cell, where it is another
 * @returns how many were sent
 * @throws the error of the first warning that could not be sent, after all others were
 */
export async function warnExpiringCredentials(options: {
  database: Database;
  databaseOf?: (partnerId: number) => Database;
  nowMs: number;
}): Promise<number> {
  const { database: { sql }, databaseOf = () => options.database, nowMs } = options;
  let sent = 0;
  const failures: unknown[] = [];
  for (const credential of await listCredentials(sql, nowMs)) {
    const days = dueWarning(credential, nowMs);
    if (days === undefined) continue;
    try {
      if (await warn(sql, databaseOf, { credential, days, nowMs })) sent += 1;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return sent;
}

/**
 * Sends one warning: first the event, in the partner's cell, under an id derived from the warning; then
 * it is noted in control. After an interruption in between, the next call finds the event written.
 */
async function warn(
  control: Sql,
  databaseOf: (partnerId: number) => Database,
  { credential, days, nowMs }: { credential: CredentialEntry; days: number; nowMs: number },
): Promise<boolean> {
  const { partnerId, kind, credentialId, validUntilMs } = credential;
  const [noted] = await control`select from credential_warnings
    where partner_id = ${partnerId} and credential_kind = ${kind}
      and credential_id = ${credentialId} and days_before = ${days}`;
  if (noted !== undefined) return false;
  const object = EXPIRING_CREDENTIAL.write({
    kind,
    credentialId,
    expiresAtMs: validUntilMs!,
    daysLeft: Math.ceil((validUntilMs! - nowMs) / DAY_MS),
  });
  const at = formatTime(nowMs);
  const [row] = await databaseOf(partnerId).sql<{ isNew: boolean }[]>`
    select write_warning(${partnerId}::integer,
      ${await warningId(credential, days)}::uuid, ${at}::timestamptz, ${object}) as "isNew"`;
  await control`select note_warning(${partnerId}::integer, ${kind}, ${credentialId},
    ${days}::integer, ${at}::timestamptz)`;
  return row!.isNew;
}

/** The id of the event, the same for every sender of this warning. */
async function warningId(
  { kind, credentialId, validUntilMs }: CredentialEntry,
  days: number,
): Promise<string> {
  const text = encodeUtf8(`${kind} ${credentialId} ${days}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return uuidV7(validUntilMs! - days * DAY_MS, (length) => hash.slice(0, length));
}
