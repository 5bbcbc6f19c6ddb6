import { textArray, type Transaction } from "@sabika/database";
import { lockVault } from "@sabika/service/vault";
import { lockPeople } from "../people/people.ts";

/**
 * Locks the rows of control that an act's dossier is made from and that the act locks first, so that the facts
 * hold until the transaction ends. A withdrawal is its partner's: the act itself checks its state.
 */
export async function lockFacts(
  sql: Transaction,
  name: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (/^vault\.(?:bar|count)/.test(name)) await lockVault(sql);
  const { partner, serial, serials, operator } = values;
  if (typeof partner === "string") {
    await sql`select from partners where client_id = ${partner} for no key update`;
  }
  if (typeof serial === "string") {
    await sql`select from vault_bars where serial = ${serial} for no key update`;
  }
  if (Array.isArray(serials)) {
    await sql`select from vault_bars where serial = any (${textArray(serials as string[])}::text[])
      order by serial for no key update`;
  }
  if (typeof operator === "string") {
    await lockPeople(sql);
    await sql`select from operators where name = ${operator} for no key update`;
  }
  if (name.startsWith("price.")) await sql`select from price_settings for no key update`;
  if (name.startsWith("policy.")) await sql`select from office for no key update`;
}
