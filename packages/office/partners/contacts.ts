import { refuse } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";
import { changePartner } from "@sabika/service/audit";
import { isLine } from "@sabika/service/vault";
import type { AdminOutcome } from "@sabika/terms";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

/** Somebody to call at a partner; there is a telephone, a mail address, or both. */
export interface Contact {
  readonly name: string;
  /** What they do there. */
  readonly role: string;
  readonly telephone: string | null;
  readonly mail: string | null;
}

/** Lists whom to call at a partner, by name. */
export async function listContacts(sql: AnySql, partnerId: number): Promise<Contact[]> {
  return await sql<Contact[]>`select name, role, telephone, mail from partner_contacts
    where partner_id = ${partnerId}::integer order by name`;
}

/** Records whom to call at a partner, in place of what was recorded under the same name. */
export function setContact(
  admin: PartnerAdminContext,
  clientId: string,
  { name, role, telephone, mail }: Contact,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "partner.contact.set", async (sql, { partnerId }) => {
    if (!isLine(name) || !isLine(role)) {
      return refuse("invalid_name", "name and role have 1 to 128 characters on one line");
    }
    if (telephone === null && mail === null) {
      return refuse("invalid_setting", "a telephone or a mail address is needed");
    }
    if (telephone !== null && !isTelephone(telephone)) {
      return refuse("invalid_setting", "a telephone number is written as +966 11 555 0100");
    }
    if (mail !== null && !isMail(mail)) {
      return refuse("invalid_setting", "a mail address is written as name@bank.example");
    }
    await sql`insert into partner_contacts (partner_id, name, role, telephone, mail)
      values (${partnerId}::integer, ${name}, ${role}, ${telephone}, ${mail})
      on conflict (partner_id, name) do update
        set role = excluded.role, telephone = excluded.telephone, mail = excluded.mail`;
    return { ok: true, value: null, audit: { name, role, telephone, mail } };
  });
}

/** Removes somebody who is not to be called any more. */
export function removeContact(
  admin: PartnerAdminContext,
  clientId: string,
  name: string,
): Promise<AdminOutcome<null>> {
  return changePartner(admin, clientId, "partner.contact.remove", async (sql, { partnerId }) => {
    const removed = await sql`delete from partner_contacts
      where partner_id = ${partnerId}::integer and name = ${name} returning name`;
    if (removed.length === 0) return refuse("not_found", `nobody called "${name}" is recorded`);
    return { ok: true, value: null, audit: { name } };
  });
}

/** Whether a text can be a telephone number, with its country. */
export const isTelephone = (text: string): boolean => /^\+[0-9](?:[ ()-]?[0-9]){6,17}$/.test(text);

/** Whether a text looks like a mail address. */
export const isMail = (text: string): boolean =>
  text.length <= 254 && /^[\w.+'-]+@[\w-]+(?:\.[\w-]+)+$/.test(text);
