import {
  type Account,
  ACCOUNTS,
  LEDGER_ENTRY,
  type LedgerEntry,
  STATEMENT,
  WEBHOOK_ENDPOINT,
} from "@sabika/protocol";
import { riyadhDay, riyadhDayStart } from "@sabika/terms";
import { Refused } from "../refused.ts";
import { DAYS_BALANCES, ENDPOINT_OF, holdingsOf, PARTNER, PARTNER_ROW } from "../wire/mod.ts";
import { names, PARTNER as PARTNER_COLUMN, REASON, STATUS } from "./columns.ts";
import { OF_PARTNER } from "./filters.ts";
import { PARTNERS_CHECKLIST } from "./checklist.ts";
import { numberOf } from "./merge.ts";
import { MOVES } from "./moves.ts";
import { pagesOfPartner, PARTNER_PATH } from "./of_partner.ts";
import { paged, type Read, single, whole } from "./read.ts";

/** Every partner, with its holdings and the state of its webhook endpoint. */
export const PARTNERS = paged({
  path: "/partners",
  act: "partner.read",
  summary: "All partners",
  by: "all",
  form: PARTNER_ROW,
  columns: {
    client_id: { ...PARTNER_COLUMN, head: "ID" },
    name: { head: "NAME", en: "Name", ar: "الاسم" },
    status: { head: "STATUS", en: "Status", ar: "الحالة" },
    sar: { head: "SAR", en: "Cash (SAR)", ar: "النقد (ر.س)", from: "holdings.sar" },
    gold_grams: { head: "GOLD g", en: "Gold (g)", ar: "الذهب (غ)", from: "holdings.gold_grams" },
    allocation_grams: {
      head: "ALLOCATION g",
      en: "Allocated (g)",
      ar: "المخصّص (غ)",
      from: "holdings.allocation_grams",
    },
    endpoint: { en: "Webhook endpoint", ar: "نقطة استقبال الإشعارات", from: "webhook.status" },
    endpoint_pending: { from: "webhook.pending_events" },
  },
  page: {
    path: "/partners",
    columns: names("client_id, name, status, sar, gold_grams, allocation_grams, endpoint"),
    file: names(`client_id, name, status, sar as cash_sar, gold_grams, allocation_grams,
      endpoint, endpoint_pending`),
    caption: { en: "Partners, by client id", ar: "الشركاء حسب معرّف العميل" },
    nothing: { en: "None", ar: "لا شيء" },
  },
  async find({ database, now, inEachCell }) {
    const { readAccounts } = await import("@sabika/service/ledger");
    const { listPartners } = await import("../oversight/list_partners.ts");
    const { readEndpointStates } = await import("@sabika/service/delivery");
    const [partners, { found, away }] = await Promise.all([
      listPartners(database),
      inEachCell(
        undefined,
        ({ sql }) => Promise.all([readAccounts(sql), readEndpointStates(sql, now())]),
      ),
    ]);
    const accounts = new Map(found.flatMap(([entries]) => [...entries]));
    const endpoints = new Map(
      found.flatMap(([, states]) => states).map((state) => [state.partnerId, state]),
    );
    const data = partners.map((partner) => ({
      ...partner,
      // Unknown for partners whose cell is away.
      holdings: away.length === 0 || accounts.has(partner.partnerId)
        ? holdingsOf(accounts, partner.partnerId)
        : undefined,
      endpoint: endpoints.get(partner.partnerId) ?? null,
    }));
    return { data, away };
  },
});

/** A partner, with its holdings, endpoint and settings. */
export const PARTNER_WHOLE = single({
  path: PARTNER_PATH,
  act: "partner.read",
  summary: "A partner",
  form: PARTNER,
  async find(input) {
    const home = await input.home();
    if (home === undefined) return undefined;
    const { database, reading, ...partner } = home;
    const { readAccounts } = await import("@sabika/service/ledger");
    const { findOpenMove } = await import("@sabika/service/moving");
    const [accounts, endpoint = null, moving] = await Promise.all([
      readAccounts(database.sql),
      reading.webhookEndpoint(partner),
      findOpenMove(input.database.sql, partner.partnerId),
    ]);
    return { ...partner, holdings: holdingsOf(accounts, partner.partnerId), endpoint, moving };
  },
});

/** A partner's days, with the balances that they began and ended with. */
export const PARTNERS_DAYS = whole({
  path: `${PARTNER_PATH}/statements`,
  act: "trade.read",
  summary: "A partner's days that end with `until` (today), as many as `days` says (7)",
  filters: { until: {}, days: {} },
  form: DAYS_BALANCES,
  columns: {
    date: { head: "DAY" },
    provisional: { head: "PROVISIONAL" },
    entries: { head: "ENTRIES" },
    opening_sar: { head: "OPENING SAR", from: "opening.sar" },
    closing_sar: { head: "CLOSING SAR", from: "closing.sar" },
    opening_gold_grams: { head: "OPENING g", from: "opening.gold_grams" },
    closing_gold_grams: { head: "CLOSING g", from: "closing.gold_grams" },
  },
  async find({ home, filter, now }) {
    const partner = await home();
    if (partner === undefined) return undefined;
    const { listDays, MOST_DAYS } = await import("../oversight/list_days.ts");
    const { until = riyadhDay(now()), days = "7" } = filter;
    const count = /^[1-9][0-9]?$/.test(days) ? Number(days) : 0;
    if (riyadhDayStart(until) === undefined || count < 1 || count > MOST_DAYS) {
      throw new Refused("invalid_request", `until is a day, days is 1 to ${MOST_DAYS}`);
    }
    const { partnerId, reading } = partner;
    return await listDays(reading, { partnerId, until, days: count });
  },
});

/** The most entries of a day that is answered whole. */
const MOST_ENTRIES = 100_000n;

/** A partner's day, with every entry. */
export const PARTNERS_DAY = single({
  path: `${PARTNER_PATH}/statements/{day}`,
  act: "trade.read",
  summary: "A partner's day in Riyadh, whole",
  form: STATEMENT,
  async find({ home, path }) {
    const partner = await home();
    const day = path["day"]!;
    const opened = partner && await partner.reading.statement({ ...partner, day });
    if (opened === undefined) return undefined;
    if (opened.count > MOST_ENTRIES) {
      throw new Refused("invalid_request", `the day has ${opened.count} entries: too many here`);
    }
    const entries: LedgerEntry[] = [];
    for await (const page of opened.pages()) entries.push(...page);
    return { ...opened, entries };
  },
});

/** The state of every partner's webhook endpoint, the one furthest behind first. */
export const ENDPOINTS = paged({
  path: "/webhook-endpoints",
  act: "partner.read",
  summary:
    "How all partners' webhook endpoints stand (`down`: failing or disabled), the longest behind first",
  by: "all",
  filters: {
    client_id: OF_PARTNER,
    status: { values: ["healthy", "failing", "disabled", "down"] },
  },
  form: ENDPOINT_OF,
  columns: {
    client_id: PARTNER_COLUMN,
    status: STATUS,
    since: { en: "Since (Riyadh)", ar: "منذ (الرياض)" },
    pending_events: { en: "Waiting", ar: "بالانتظار" },
    lag_seconds: { en: "Lag", ar: "التأخّر" },
    in_flight: { en: "Deliveries at once", ar: "عمليات التسليم معًا" },
    failure: REASON,
  },
  page: {
    path: "/endpoints",
    columns: names("client_id, status, since, pending_events, lag_seconds, in_flight, failure"),
    file: names(`client_id, status, since, disabled_by, failure, pending_events, lag_seconds,
      in_flight`),
    caption: {
      en: "Webhook endpoints, the longest behind first",
      ar: "نقاط استقبال الإشعارات، الأكثر تأخّرًا أولًا",
    },
    nothing: { en: "No endpoints like this.", ar: "لا نقاط كهذه." },
  },
  async find({ database, now, inEachCell, query: { limit, cursor }, filter }) {
    const { findPartner } = await import("@sabika/service/partners");
    const { readEndpointStates } = await import("@sabika/service/delivery");
    const { client_id: clientId, status } = filter;
    const partner = clientId === undefined ? undefined : await findPartner(database.sql, clientId);
    const { found, away } = await inEachCell(
      clientId,
      ({ sql }) => readEndpointStates(sql, now(), partner?.partnerId),
    );
    const isAsked = (found: string) =>
      status === undefined || found === status || status === "down" && found !== "healthy";
    const all = found.flat().filter((state) => isAsked(state.status))
      .sort((a, b) => b.lagSeconds - a.lagSeconds || a.partnerId - b.partnerId);
    const start = Number(numberOf(cursor) ?? 0n);
    const end = start + limit;
    return {
      data: all.slice(start, end),
      next: end < all.length ? String(end) : undefined,
      away,
    };
  },
});

/** A partner's transfers, of all its accounts or one. */
export const LEDGER = paged({
  path: "/ledger-entries",
  act: "trade.read",
  summary: "The transfers of `client_id`, of all its accounts or of `account`",
  by: "period",
  filters: { client_id: OF_PARTNER, account: { values: ACCOUNTS } },
  form: LEDGER_ENTRY,
  columns: {
    account: { en: "Account", ar: "الحساب" },
    number: { head: "NUMBER", en: "No.", ar: "الرقم" },
    posted_at: { head: "POSTED", en: "Time (Riyadh)", ar: "الوقت (الرياض)" },
    debit_account: { head: "FROM", en: "From", ar: "من" },
    credit_account: { head: "TO", en: "To", ar: "إلى" },
    amount: { head: "AMOUNT", en: "Amount", ar: "المقدار" },
    unit: { head: "UNIT" },
    source_type: { head: "OF", from: "source.type" },
    source_id: { head: "SOURCE", en: "About", ar: "بشأن", from: "source.id" },
  },
  page: {
    path: "/ledger",
    columns: names("number, posted_at, debit_account, credit_account, amount, source_id"),
    file: names(`number, posted_at, asset, debit_account, credit_account, amount,
      source_type as source_kind, source_id`),
    caption: { en: "Transfers, newest first", ar: "التحويلات، الأحدث أولًا" },
    nothing: {
      en: "No transfers like this; choose a partner.",
      ar: "لا تحويلات كهذه؛ اختر شريكًا.",
    },
  },
  async find({ cells, query, filter }) {
    const { client_id: clientId, account } = filter;
    const home = clientId === undefined ? undefined : await cells.homeOf(clientId);
    if (home === undefined) return { data: [] };
    const { listEntries } = await import("@sabika/service/ledger");
    const { limit, cursor, createdFromMs: fromMs, createdToMs: toMs } = query;
    const { entries: data, next } = await listEntries(home.database, {
      partnerId: home.partnerId,
      limit,
      fromMs,
      toMs,
      before: numberOf(cursor),
      account: account as Account | undefined,
    });
    return { data, next: next === undefined ? undefined : String(next) };
  },
});

/** Reads of partners and of what each of them has. */
export const PARTNER_READS: readonly Read[] = [
  PARTNERS,
  PARTNER_WHOLE,
  PARTNERS_CHECKLIST,
  MOVES,
  single({
    path: `${PARTNER_PATH}/webhook-endpoint`,
    act: "partner.read",
    summary: "How a partner's webhook endpoint stands",
    form: WEBHOOK_ENDPOINT,
    async find({ home }) {
      const partner = await home();
      return partner && await partner.reading.webhookEndpoint(partner);
    },
  }),
  pagesOfPartner("ledger-entries", "listLedgerEntries", {
    summary: "A partner's money and gold, entry by entry",
    form: LEDGER_ENTRY,
  }),
  PARTNERS_DAYS,
  PARTNERS_DAY,
  ENDPOINTS,
  LEDGER,
];
