import { formatId, jsonString } from "@sabika/protocol";
import { enableWebhookLane } from "../../webhooks/webhook_lanes.ts";
import { writeEvent } from "../../webhooks/write_event.ts";
import { readPartnerName } from "../client_id.ts";
import { readIban } from "../iban.ts";
import { RATE_CLASSES, type RateClass, type RateLimit } from "../records.ts";
import { type Done, refused } from "../../admin/refused.ts";
import { readCidr } from "../source_addresses.ts";
import type { AuditDetail } from "../../admin/audit.ts";
import { changePartner } from "../../admin/change.ts";
import type { PartnerAdminContext } from "../partner_admin_context.ts";
import { readWebhookUrl } from "./webhook_endpoint.ts";

/** What can be changed of a partner; what is left out stays. */
export interface PartnerChanges {
  name?: string;
  quoteMinMicrograms?: bigint;
  quoteMaxMicrograms?: bigint;
  openQuotesLimit?: number;
  spreadPpm?: bigint;
  feePpm?: bigint;
  vatPpm?: bigint;
  rateLimits?: Partial<Record<RateClass, RateLimit>>;
}

/** Changes a partner's name and settings. */
export function updatePartner(
  admin: PartnerAdminContext,
  clientId: string,
  changes: PartnerChanges,
): Promise<Done<null>> {
  return changePartner(admin, clientId, "partner.update", async (sql, partner) => {
    const name = readPartnerName(changes.name ?? partner.name);
    if (!name.ok) return name;
    const wrong = checkSettings(changes);
    if (wrong !== undefined) return refused("invalid_setting", wrong);
    const [bounds] = await sql<{ ok: boolean }[]>`
      update partners set name = ${name.value},
        quote_min_micrograms = coalesce(${
      changes.quoteMinMicrograms ?? null
    }, quote_min_micrograms),
        quote_max_micrograms = coalesce(${
      changes.quoteMaxMicrograms ?? null
    }, quote_max_micrograms),
        open_quotes_limit = coalesce(${changes.openQuotesLimit ?? null}, open_quotes_limit),
        spread_ppm = coalesce(${changes.spreadPpm ?? null}, spread_ppm),
        fee_ppm = coalesce(${changes.feePpm ?? null}, fee_ppm),
        vat_ppm = coalesce(${changes.vatPpm ?? null}, vat_ppm),
        rate_limits = rate_limits || ${JSON.stringify(changes.rateLimits ?? {})}::jsonb
      where partner_id = ${partner.partnerId}
        and coalesce(${changes.quoteMinMicrograms ?? null}, quote_min_micrograms)
          <= coalesce(${changes.quoteMaxMicrograms ?? null}, quote_max_micrograms)
      returning true as ok`;
    if (bounds === undefined) {
      return refused("invalid_setting", "the smallest quantity of a quote exceeds the largest");
    }
    const audit: AuditDetail = {};
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined) continue;
      audit[key] = typeof value === "object" ? JSON.stringify(value) : String(value);
    }
    return { ok: true, value: null, audit };
  });
}

function checkSettings(changes: PartnerChanges): string | undefined {
  const { quoteMinMicrograms: min, openQuotesLimit: open } = changes;
  if (min !== undefined && min <= 0n) return "the smallest quantity is above zero";
  if (open !== undefined && !(Number.isInteger(open) && open >= 1 && open <= 100_000)) {
    return "the limit of open quotes is a whole number from 1 to 100000";
  }
  if (changes.spreadPpm !== undefined && !within(changes.spreadPpm, 0n, 999_999n)) {
    return "the spread is at least 0 and below 100 %";
  }
  for (const rate of [changes.feePpm, changes.vatPpm]) {
    if (rate !== undefined && !within(rate, 0n, 1_000_000n)) return "a rate is 0 to 100 %";
  }
  for (const name of RATE_CLASSES) {
    const limit = changes.rateLimits?.[name];
    if (limit === undefined) continue;
    if (!(limit.perSecond > 0 && limit.burst >= 1 && Number.isInteger(limit.burst))) {
      return `the rate of ${name} is above zero, with a burst of at least 1`;
    }
  }
  return undefined;
}

function within(value: bigint, least: bigint, most: bigint): boolean {
  return least <= value && value <= most;
}

/** Suspends a partner (403 `partner_suspended`, within a second), or lets it in again. */
export function setPartnerStatus(
  admin: PartnerAdminContext,
  clientId: string,
  status: "active" | "suspended",
): Promise<Done<null>> {
  const action = status === "active" ? "partner.resume" : "partner.suspend";
  return changePartner(admin, clientId, action, async (sql, partner) => {
    if (partner.status === status) {
      return refused("invalid_state", `"${clientId}" is ${status} already`);
    }
    await sql`update partners set status = ${status} where partner_id = ${partner.partnerId}`;
    return { ok: true, value: null, audit: {} };
  });
}

/** Sets the IBAN that withdrawals are paid to (Decision D13); those asked for before keep theirs. */
export function setIban(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<Done<string>> {
  return changePartner(admin, clientId, "iban.set", async (sql, { partnerId, settlementIban }) => {
    const iban = readIban(text);
    if (!iban.ok) return iban;
    await sql`
      update partners set settlement_iban = ${iban.value} where partner_id = ${partnerId}`;
    return { ok: true, value: iban.value, audit: { before: settlementIban, after: iban.value } };
  });
}

/** Allows a source address. The first one shuts out all others. */
export function addAddress(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<Done<string>> {
  return changePartner(admin, clientId, "address.add", async (sql, { partnerId }) => {
    const cidr = readCidr(text);
    if (!cidr.ok) return cidr;
    const added = await sql`
      insert into source_addresses (partner_id, cidr) values (${partnerId}, ${cidr.value})
      on conflict do nothing`;
    if (added.count === 0) {
      return refused("already_exists", `"${clientId}" may call from ${cidr.value} already`);
    }
    return { ok: true, value: cidr.value, audit: { cidr: cidr.value } };
  });
}

/** Takes a source address away. Without the last one, calls may come from anywhere. */
export function removeAddress(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<Done<string>> {
  return changePartner(admin, clientId, "address.remove", async (sql, { partnerId }) => {
    const cidr = readCidr(text);
    if (!cidr.ok) return cidr;
    const removed = await sql`
      delete from source_addresses where partner_id = ${partnerId} and cidr = ${cidr.value}`;
    if (removed.count === 0) {
      return refused("not_found", `"${clientId}" has no source address ${cidr.value}`);
    }
    return { ok: true, value: cidr.value, audit: { cidr: cidr.value } };
  });
}

/** Sets where a partner's events go, and opens its lane again if it was shut. */
export async function setWebhookUrl(
  admin: PartnerAdminContext,
  clientId: string,
  text: string,
): Promise<Done<string>> {
  const url = await readWebhookUrl(admin, text);
  if (!url.ok) return url;
  return await changePartner(admin, clientId, "webhook.set", async (sql, partner) => {
    const { partnerId, webhookUrl } = partner;
    await sql`update partners set webhook_url = ${url.value} where partner_id = ${partnerId}`;
    await enableWebhookLane(sql, partnerId, admin.now(), { skipOlder: webhookUrl === null });
    return { ok: true, value: url.value, audit: { before: webhookUrl, after: url.value } };
  });
}

/** Sends a `ping` event (Decision D34) the way of all events. */
export function pingWebhook(
  admin: PartnerAdminContext,
  clientId: string,
): Promise<Done<{ eventId: string }>> {
  return changePartner(admin, clientId, "webhook.ping", async (sql, { partnerId, webhookUrl }) => {
    if (webhookUrl === null) return refused("invalid_state", `"${clientId}" has no webhook URL`);
    const { eventId: uuid } = await writeEvent(sql, {
      partnerId,
      type: "ping",
      objectJson: `{"client_id":${jsonString(clientId)}}`,
      nowMs: admin.now(),
      random: admin.random,
    });
    const eventId = formatId("evt", uuid);
    return { ok: true, value: { eventId }, audit: { eventId } };
  });
}
