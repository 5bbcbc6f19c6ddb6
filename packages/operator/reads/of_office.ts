import type { AuditEntry } from "@sabika/core/admin";
import {
  APPROVAL,
  AUDIT_ENTRY,
  AUDIT_HEAD,
  AUTHORITY,
  BAR,
  CREDENTIAL,
  DAYS_BALANCES,
  DEPLOYMENT,
  DIFFERENCE,
  EVENT,
  EVENT_STORY,
  FUNDING_OF,
  OPERATOR,
  PARTNER,
  PARTNER_ROW,
  POLICY,
  PRICES,
  type PricesView,
  QUOTE_OF,
  SIGNED_ENTRY,
  TOKEN_KEY,
  TRADE,
  TRADE_STORY,
  VAULT,
  WITHDRAWAL_TO_PAY,
} from "@sabika/office/wire";
import {
  type Form,
  formatTime,
  isJsonObject,
  type JsonValue,
  list,
  type Page,
  PAGE_LIMIT_MAX,
  pageFromJson,
  QUOTE,
  STATEMENT,
} from "@sabika/protocol";
import type { Office } from "../connect/office.ts";
import { notFound, RefusedError, UsageError } from "../outcome.ts";
import type { Filter, PartnersFilter, Reads } from "./reads.ts";

type Query = Parameters<Office["read"]>[1];

/** What commands read, of the operator's office. */
export function readsOfOffice(office: Office): Reads {
  const { one, sure, all, sureOfAll, page, ofPartner, found } = asking(office);
  return {
    orders: async ({ partner, side, ...of }) =>
      await page(TRADE, "/orders", { ...queryOf(of), client_id: partner, side }) ??
        refuseList("/orders", partner),
    order: (text) => found(TRADE_STORY, "orders", text),
    quotes: (of) => ofPartner(QUOTE, "quotes", of),
    quote: (id) => found(QUOTE_OF, "quotes", id),
    events: (of) => ofPartner(EVENT, "events", of),
    event: (id) => found(EVENT_STORY, "events", id),
    fundings: async ({ partner, reference, ...of }) =>
      await page(FUNDING_OF, "/fundings", { ...queryOf(of), client_id: partner, reference }) ??
        refuseList("/fundings", partner),
    funding: (id) => found(FUNDING_OF, "fundings", id),
    withdrawal: (id) => found(WITHDRAWAL_TO_PAY, "withdrawals", id),
    async statement({ partner, day }) {
      const of = `/partners/${encodeURIComponent(partner)}`;
      const statement = await one(STATEMENT, `${of}/statements/${day}`);
      if (statement === undefined) {
        // Of the two, the partner may be what is not there.
        await one(PARTNER, of) ?? refusePartner(partner);
        return undefined;
      }
      const { entries } = statement;
      return {
        ...statement,
        async *pages() {
          yield await Promise.resolve(entries);
        },
      };
    },
    statements: async ({ partner, until, days }) =>
      await all(DAYS_BALANCES, `/partners/${encodeURIComponent(partner)}/statements`, {
        until,
        days,
      }) ?? refusePartner(partner),
    partners: () => sureOfAll(PARTNER_ROW, "/partners"),
    partner: (id) => found(PARTNER, "partners", id),
    async credentials({ partner, kind }) {
      const of = partner === undefined ? "" : `/partners/${encodeURIComponent(partner)}`;
      try {
        const credentials = await sureOfAll(CREDENTIAL, `${of}/credentials`);
        return credentials.filter((one) => kind === undefined || one.kind === kind);
      } catch (error) {
        if (error instanceof RefusedError && error.code === "not_permitted") return undefined;
        throw error;
      }
    },
    withdrawals: async ({ partner, status, limit }) =>
      (await sureOfAll(WITHDRAWAL_TO_PAY, "/withdrawals", { client_id: partner, status }))
        .slice(0, limit),
    approvals: (state) => sureOfAll(APPROVAL, "/approvals", { state }),
    approval: (id) => found(APPROVAL, "approvals", id),
    policy: () => sure(POLICY, "/policy"),
    operators: () => sureOfAll(OPERATOR, "/operators"),
    deployment: () => sure(DEPLOYMENT, "/deployment"),
    async audit({ partner, limit }) {
      const entries: AuditEntry[] = [];
      let cursor: string | undefined;
      do {
        const part: Page<AuditEntry> = await page(AUDIT_ENTRY, "/audit", {
          ...{ client_id: partner, cursor },
          limit: Math.min(limit - entries.length, PAGE_LIMIT_MAX),
        }) ?? refuseList("/audit", partner);
        entries.push(...part.data);
        cursor = part.nextCursor ?? undefined;
      } while (cursor !== undefined && entries.length < limit);
      return entries;
    },
    auditHead: () => sure(AUDIT_HEAD, "/audit/head"),
    auditEntry: (id) => found(SIGNED_ENTRY, "audit", String(id)),
    tokenKeys: () => sureOfAll(TOKEN_KEY, "/token-keys"),
    async recount({ partner }) {
      if (partner !== undefined) {
        throw new UsageError("the office recounts everything: leave --partner out");
      }
      const [differences, partners] = await Promise.all([
        sureOfAll(DIFFERENCE, "/reconcile"),
        sureOfAll(PARTNER_ROW, "/partners"),
      ]);
      return { differences, sinceMs: undefined, partners: partners.length };
    },
    vault: () => sure(VAULT, "/vault"),
    bars: () => sureOfAll(BAR, "/vault/bars"),
    authorities: () => sureOfAll(AUTHORITY, "/authorities"),
  };
}

/** How the office is asked for one thing, for all of them, and for a page. */
function asking(office: Office) {
  const one = async <T>(form: Form<T>, path: string, query?: Query): Promise<T | undefined> => {
    const json = await office.read(path, query);
    return json === undefined ? undefined : form.read(json);
  };
  const sure = async <T>(form: Form<T>, path: string): Promise<T> =>
    await one(form, path) ?? refuse(`the office has no ${path}`);
  const all = async <T>(
    form: Form<T>,
    path: string,
    query?: Query,
  ): Promise<readonly T[] | undefined> => {
    const json = await office.read(path, query);
    return json === undefined ? undefined : list(form).read(memberOf(json, "data"));
  };
  const sureOfAll = async <T>(form: Form<T>, path: string, query?: Query): Promise<readonly T[]> =>
    await all(form, path, query) ?? refuse(`the office has no ${path}`);
  const page = async <T>(
    form: Form<T>,
    path: string,
    query: Query,
  ): Promise<Page<T> | undefined> => {
    const json = await office.read(path, query);
    return json === undefined ? undefined : pageFromJson(json, form.read);
  };
  const ofPartner = async <T>(form: Form<T>, name: string, of: PartnersQuery): Promise<Page<T>> => {
    const { partner, key, status } = of;
    const query = { ...queryOf(of), idempotency_key: key, status };
    return await page(form, `/partners/${encodeURIComponent(partner)}/${name}`, query) ??
      refusePartner(partner);
  };
  const found = <T>(form: Form<T>, noun: string, id: string) =>
    one(form, `/${noun}/${encodeURIComponent(id)}`);

  return { one, sure, all, sureOfAll, page, ofPartner, found };
}

/** Where prices come from, as the office says it. */
export async function pricesOfOffice(office: Office): Promise<PricesView> {
  const json = await office.read("/prices");
  return json === undefined ? refuse("the price settings cannot be read") : PRICES.read(json);
}

type PartnersQuery = PartnersFilter & { readonly status?: string | undefined };

function queryOf({ limit, after, fromMs, untilMs }: Filter) {
  const time = (ms: number | undefined) => ms === undefined ? undefined : formatTime(ms);
  return { limit, cursor: after, created_from: time(fromMs), created_to: time(untilMs) };
}

function memberOf(json: JsonValue, name: string): JsonValue {
  return isJsonObject(json) ? json.get(name) ?? null : null;
}

/** Of a list that is always there, the partner that it is asked of may be what is not. */
function refuseList(path: string, partner: string | undefined): never {
  return partner === undefined ? refuse(`the office has no ${path}`) : refusePartner(partner);
}

function refusePartner(partner: string): never {
  throw notFound(`partner "${partner}"`);
}

function refuse(message: string): never {
  throw new RefusedError("not_found", message);
}
