import { readAccounts, riyadhDayStart } from "@sabika/core/ledger";
import { type DaysBalances, listDays, MOST_DAYS } from "@sabika/core/oversight";
import { findOpenMove, listCredentials, readPartners } from "@sabika/core/partners";
import {
  DELIVERY_ATTEMPT,
  EVENT_DELIVERY_STATUSES,
  type Form,
  formatTime,
  LEDGER_ENTRY,
  type LedgerEntry,
  ORDER,
  ORDER_STATUSES,
  parseId,
  QUOTE,
  QUOTE_STATUSES,
  STATEMENT,
  WEBHOOK_ENDPOINT,
  WITHDRAWAL,
  WITHDRAWAL_STATUSES,
} from "@sabika/protocol";
import type { Listing, ListQuery } from "@sabika/core/store";
import type { Reading } from "@sabika/core/trading";
import { readEndpointStates } from "@sabika/core/webhooks";
import { Refused } from "../refused.ts";
import {
  CREDENTIAL,
  DAYS_BALANCES,
  holdingsOf,
  PARTNER,
  PARTNER_ROW,
} from "../wire/partner_forms.ts";
import { EVENT } from "../wire/values.ts";
import { all, type Asked, one, pages, type Read } from "./read.ts";

/** The partner that the path names, and what is read of it, in its cell. */
async function homeOf({ office, readingOf, path }: Asked) {
  const home = await office.cells.homeOf(path["partner"]!);
  return home && { ...home, reading: readingOf(home.database) };
}

const OF = "/partners/{partner}";

/** Partners, and what each of them has and did. */
export const PARTNER_READS: readonly Read[] = [
  all(
    { path: "/partners", act: "partner.read", summary: "All partners" },
    PARTNER_ROW,
    async ({ office: { admin: { database, now }, cells } }) => {
      const [partners, found] = await Promise.all([
        readPartners(database.sql, -1n),
        cells.ofEach(
          undefined,
          ({ sql }) => Promise.all([readAccounts(sql), readEndpointStates(sql, now())]),
        ),
      ]);
      const accounts = new Map(found.flatMap(([own]) => [...own]));
      const endpoints = found.flatMap(([, own]) => own);
      return partners.map((one) => ({
        ...one,
        holdings: holdingsOf(accounts, one.partnerId),
        endpoint: endpoints.find(({ partnerId }) => partnerId === one.partnerId) ?? null,
      }));
    },
  ),
  one({ path: OF, act: "partner.read", summary: "A partner" }, PARTNER, async (asked) => {
    const home = await homeOf(asked);
    if (home === undefined) return undefined;
    const { database, reading, ...partner } = home;
    const [accounts, endpoint = null, moving] = await Promise.all([
      readAccounts(database.sql),
      reading.webhookEndpoint(partner),
      findOpenMove(asked.office.admin.database.sql, partner.partnerId),
    ]);
    return { ...partner, holdings: holdingsOf(accounts, partner.partnerId), endpoint, moving };
  }),
  all(
    {
      path: `${OF}/credentials`,
      act: "credential.read",
      summary: "A partner's credentials, ended ones too",
    },
    CREDENTIAL,
    async ({ office: { admin: { database, now } }, path }) =>
      await listCredentials(database.sql, now(), { clientId: path["partner"]! }),
  ),
  all(
    {
      path: "/credentials",
      act: "credential.read",
      summary: "All partners' credentials, ended ones too",
    },
    CREDENTIAL,
    ({ office: { admin: { database, now } } }) => listCredentials(database.sql, now()),
  ),
  one(
    {
      path: `${OF}/webhook-endpoint`,
      act: "partner.read",
      summary: "How a partner's webhook endpoint stands",
    },
    WEBHOOK_ENDPOINT,
    async (asked) => {
      const home = await homeOf(asked);
      return home && await home.reading.webhookEndpoint(home);
    },
  ),
  listed("quotes", "A partner's quotes", QUOTE, "listQuotes", QUOTE_STATUSES),
  single("quotes", "A quote", QUOTE, (reading, partnerId, id) => {
    const quoteId = parseId("qt", id);
    return quoteId === undefined ? undefined : reading.getQuote({ partnerId, quoteId });
  }),
  listed("orders", "A partner's orders", ORDER, "listOrders", ORDER_STATUSES),
  single("orders", "An order", ORDER, (reading, partnerId, id) => {
    const orderId = parseId("ord", id);
    return orderId === undefined ? undefined : reading.getOrder({ partnerId, orderId });
  }),
  listed(
    "withdrawals",
    "A partner's withdrawals",
    WITHDRAWAL,
    "listWithdrawals",
    WITHDRAWAL_STATUSES,
  ),
  listed(
    "ledger-entries",
    "A partner's money and gold, entry by entry",
    LEDGER_ENTRY,
    "listLedgerEntries",
    [],
  ),
  listed(
    "events",
    "A partner's events with their delivery",
    EVENT,
    "listEvents",
    EVENT_DELIVERY_STATUSES,
  ),
  all(
    {
      path: `${OF}/statements`,
      act: "trade.read",
      summary: "A partner's days that end with `until` (today), as many as `days` says (7)",
      filters: ["until", "days"],
    },
    DAYS_BALANCES,
    readDays,
  ),
  one(
    {
      path: `${OF}/statements/{day}`,
      act: "trade.read",
      summary: "A partner's day in Riyadh, whole",
    },
    STATEMENT,
    async (asked) => {
      const home = await homeOf(asked);
      const day = asked.path["day"]!;
      const opened = home && await home.reading.statement({ partnerId: home.partnerId, day });
      if (opened === undefined) return undefined;
      if (opened.count > MOST_ENTRIES) {
        throw new Refused("invalid_request", `the day has ${opened.count} entries: too many here`);
      }
      const entries: LedgerEntry[] = [];
      for await (const page of opened.pages()) entries.push(...page);
      return { ...opened, entries };
    },
  ),
  pages(
    {
      path: `${OF}/events/{id}/attempts`,
      act: "trade.read",
      summary: "How the delivery of an event was tried",
      list: { kind: "paged" },
    },
    DELIVERY_ATTEMPT,
    async (asked, query) => {
      const home = await homeOf(asked);
      const eventId = parseId("evt", asked.path["id"]!);
      if (home === undefined || eventId === undefined) return undefined;
      return await home.reading.listAttempts({ ...query, partnerId: home.partnerId, eventId });
    },
  ),
];

/** The most entries of a day that is answered whole. */
const MOST_ENTRIES = 100_000n;

/** The day that it is in Riyadh, which keeps UTC+3 all year (Decision D7). */
const today = (nowMs: number) => formatTime(nowMs + 3 * 3_600_000).slice(0, 10);

/** The days that the filters name, newest first: those of a month, for the list is not paged. */
async function readDays(asked: Asked): Promise<DaysBalances[] | undefined> {
  const home = await homeOf(asked);
  if (home === undefined) return undefined;
  const { until = today(asked.office.admin.now()), days = "7" } = asked.filter;
  const count = /^[1-9][0-9]?$/.test(days) ? Number(days) : 0;
  if (riyadhDayStart(until) === undefined || count < 1 || count > MOST_DAYS) {
    throw new Refused("invalid_request", `until is a day, days is 1 to ${MOST_DAYS}`);
  }
  const { partnerId, reading } = home;
  return await listDays(reading, { partnerId, until, days: count });
}

type Lists = "listQuotes" | "listOrders" | "listWithdrawals" | "listLedgerEntries" | "listEvents";

/** A list of one partner's, as the partner itself reads it (Decision D19). */
function listed<T>(
  name: string,
  summary: string,
  form: Form<T>,
  list: Lists,
  statuses: readonly string[],
): Read {
  return pages(
    { path: `${OF}/${name}`, act: "trade.read", summary, list: { kind: "filtered", statuses } },
    form,
    async (asked, query) => {
      const home = await homeOf(asked);
      if (home === undefined) return undefined;
      const read = home.reading[list] as unknown as (of: ListQuery) => Promise<Listing<T>>;
      return await read({ ...query, partnerId: home.partnerId });
    },
  );
}

function single<T>(
  name: string,
  summary: string,
  form: Form<T>,
  find: (reading: Reading, partnerId: number, id: string) => Promise<T | undefined> | undefined,
): Read {
  return one({ path: `${OF}/${name}/{id}`, act: "trade.read", summary }, form, async (asked) => {
    const home = await homeOf(asked);
    return home && await find(home.reading, home.partnerId, asked.path["id"]!);
  });
}
