import type { AnySql } from "@sabika/database";
import type { Choice, NotificationKind } from "./kinds.ts";

/** The languages in which people are told. */
export type Language = "en" | "ar";

/** What a person set for themselves; a kind that they did not set is told in the console. */
export interface Choices {
  /** Where they read mail; null when they gave no address. */
  readonly address: string | null;
  readonly language: Language | null;
  readonly kinds: Readonly<Partial<Record<NotificationKind, Choice>>>;
}

/** Whether a text can be an address of mail: as SMTP takes it (RFC 5321 §4.1.2), without quotes. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 &&
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text);
}

/** Reads what a person set. */
export async function readChoices(sql: AnySql, operatorId: number): Promise<Choices> {
  const kinds = await sql<{ kind: NotificationKind; channel: Choice }[]>`
    select kind, channel from notification_choices where operator_id = ${operatorId}`;
  const [mail] = await sql<{ address: string; language: Language }[]>`
    select address, language from notification_addresses where operator_id = ${operatorId}`;
  return {
    address: mail?.address ?? null,
    language: mail?.language ?? null,
    kinds: Object.fromEntries(kinds.map(({ kind, channel }) => [kind, channel])),
  };
}

/**
 * Sets how a person is told from now on, in the caller's transaction. Without an address they get no mail,
 * whatever they chose.
 */
export async function setChoices(
  sql: AnySql,
  operatorId: number,
  { address, language, kinds }: Choices,
): Promise<void> {
  for (const [kind, channel] of Object.entries(kinds)) {
    await sql`insert into notification_choices (operator_id, kind, channel)
      values (${operatorId}, ${kind}, ${channel})
      on conflict (operator_id, kind) do update set channel = excluded.channel`;
  }
  if (address === null) {
    await sql`delete from notification_addresses where operator_id = ${operatorId}`;
  } else {
    await sql`insert into notification_addresses (operator_id, address, language)
      values (${operatorId}, ${address}, ${language})
      on conflict (operator_id) do update set address = excluded.address, language = excluded.language`;
  }
}
