import { EXPIRING_CREDENTIAL } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import { drizzle } from "../../store/drizzle.ts";
import { credentialWarnings } from "../../store/schema/mod.ts";
import { writeEvent } from "../../webhooks/write_event.ts";
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
    given += await sql.begin(async (sql) => {
      const claimed = await drizzle(sql).insert(credentialWarnings).values({
        ...{ partnerId, credentialKind: kind, credentialId, daysBefore: days, warnedAt: nowMs },
      }).onConflictDoNothing().returning();
      if (claimed.length === 0) return 0;
      const objectJson = EXPIRING_CREDENTIAL.write({
        kind,
        credentialId,
        expiresAtMs: validUntilMs!,
        daysLeft: Math.ceil((validUntilMs! - nowMs) / DAY_MS),
      });
      await writeEvent(sql, { partnerId, type: "credential.expiring", objectJson, nowMs, random });
      return 1;
    });
  }
  return given;
}
