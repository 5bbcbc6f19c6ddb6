import type { Environment } from "@sabika/protocol";
import type { Sql } from "@sabika/database";
import {
  CHECKLIST_COMMANDS,
  CHECKLIST_STEPS,
  type ChecklistItem,
  type ChecklistStep,
} from "./checklist.ts";
import { listCredentials, type PartnerRecord } from "@sabika/service/partners";
import { listContacts } from "../partners/contacts.ts";

/** What is read of the partner's own rows, in its cell. */
interface InCell {
  readonly gold: boolean;
  readonly money: boolean;
  readonly delivery: boolean;
  readonly quote: boolean;
}

/**
 * Reads what a partner still needs until it is live. Nothing is ticked off: each step is done while the facts say so.
 *
 * @param home the partner, and the database of its rows
 */
export async function readChecklist(
  { control, environment, nowMs }: { control: Sql; environment: Environment; nowMs: number },
  { database, ...partner }: PartnerRecord & { readonly database: { readonly sql: Sql } },
): Promise<ChecklistItem[]> {
  const { partnerId, clientId, addresses, settings, settlementIban, status, webhookUrl } = partner;
  const [credentials, contacts, [changed], [inCell]] = await Promise.all([
    listCredentials(control, nowMs, { clientId }),
    listContacts(control, partnerId),
    control<{ terms: boolean }[]>`select exists (select from audit_log
      where partner_id = ${partnerId}::integer and action = 'partner.update') as terms`,
    database.sql<InCell[]>`
      select a.allocation_micrograms > 0 as gold,
        exists (select from fundings f where f.partner_id = a.partner_id) as money,
        exists (select from webhook_lanes l where l.partner_id = a.partner_id
          and l.next_sequence > 1 and l.failing_since is null and l.disabled_at is null) as delivery,
        exists (select from quotes q where q.partner_id = a.partner_id) as quote
      from accounts a where a.partner_id = ${partnerId}::integer`,
  ]);
  const active = credentials.filter(({ state }) => state === "active");
  const has = (kind: string) => active.some((credential) => credential.kind === kind);
  const done: Readonly<Record<ChecklistStep, boolean>> = {
    terms: changed!.terms,
    tax: settings.taxes !== null,
    iban: settlementIban !== "",
    contacts: contacts.length > 0,
    // In the sandbox a partner without any calls from anywhere.
    addresses: addresses.length > 0 || environment === "sandbox",
    certificate: has("certificate"),
    signing_key: has("signing_key"),
    client_secret: has("client_secret") ||
      active.some(({ tokenAuth }) => tokenAuth === "tls_client_auth"),
    webhook: webhookUrl !== null && has("webhook_secret"),
    gold: inCell?.gold === true,
    money: inCell?.money === true,
    delivery: inCell?.delivery === true,
    quote: inCell?.quote === true,
    active: status === "active",
  };
  return CHECKLIST_STEPS.map((step) => {
    const command = CHECKLIST_COMMANDS[step];
    return {
      step,
      done: done[step],
      command: command === null ? null : `sabika ${command} ${clientId}`,
    };
  });
}
