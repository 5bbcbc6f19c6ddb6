import { readAccounts } from "@sabika/core/ledger";
import {
  findPartner,
  listCredentials,
  type PartnerRecord,
  readPartners,
} from "@sabika/core/partners";
import {
  DELIVERY_ATTEMPT,
  EVENT_DELIVERY_STATUSES,
  eventToJson,
  LEDGER_ENTRY,
  ORDER,
  ORDER_STATUSES,
  parseId,
  QUOTE,
  QUOTE_STATUSES,
  WEBHOOK_ENDPOINT,
  WITHDRAWAL,
  WITHDRAWAL_STATUSES,
} from "@sabika/protocol";
import type { Listing, ListQuery } from "@sabika/core/store";
import type { Reading } from "@sabika/core/trading";
import { CREDENTIAL, type Holdings, PARTNER, PARTNER_ROW } from "./forms.ts";
import { all, type Asked, one, pages, type Read } from "./read.ts";
import type { Written } from "./written.ts";

/** The partner that the path names. */
async function partnerOf({ office, path }: Asked): Promise<PartnerRecord | undefined> {
  return await findPartner(office.admin.database.sql, path["partner"]!);
}

type Accounts = Awaited<ReturnType<typeof readAccounts>>;

function holdingsOf(accounts: Accounts, partnerId: number): Holdings {
  const own = accounts.get(partnerId);
  return {
    sarHalalas: own?.cashHalalas ?? 0n,
    heldHalalas: own?.withdrawalsHalalas ?? 0n,
    goldMicrograms: own?.goldMicrograms ?? 0n,
    allocationMicrograms: own?.allocationMicrograms ?? 0n,
  };
}

const OF = "/partners/{partner}";

/** Partners, and what each of them has and did. */
export const PARTNER_READS: readonly Read[] = [
  all(
    { path: "/partners", act: "partner.read", summary: "All partners" },
    PARTNER_ROW,
    async ({ office: { admin: { database: { sql } } } }) => {
      const [partners, accounts] = await Promise.all([readPartners(sql, -1n), readAccounts(sql)]);
      return partners.map((one) => ({ ...one, holdings: holdingsOf(accounts, one.partnerId) }));
    },
  ),
  one({ path: OF, act: "partner.read", summary: "A partner" }, PARTNER, async (asked) => {
    const partner = await partnerOf(asked);
    if (partner === undefined) return undefined;
    const accounts = await readAccounts(asked.office.admin.database.sql);
    return { ...partner, holdings: holdingsOf(accounts, partner.partnerId) };
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
  one(
    {
      path: `${OF}/webhook-endpoint`,
      act: "partner.read",
      summary: "How a partner's webhook endpoint stands",
    },
    WEBHOOK_ENDPOINT,
    async (asked) => {
      const partner = await partnerOf(asked);
      return partner && await asked.reading.webhookEndpoint(partner);
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
    { shape: { type: "object" }, write: eventToJson },
    "listEvents",
    EVENT_DELIVERY_STATUSES,
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
      const partner = await partnerOf(asked);
      const eventId = parseId("evt", asked.path["id"]!);
      if (partner === undefined || eventId === undefined) return undefined;
      return await asked.reading.listAttempts({ ...query, partnerId: partner.partnerId, eventId });
    },
  ),
];

type Lists = "listQuotes" | "listOrders" | "listWithdrawals" | "listLedgerEntries" | "listEvents";

/** A list of one partner's, as the partner itself reads it (Decision D19). */
function listed<T>(
  name: string,
  summary: string,
  form: Written<T>,
  list: Lists,
  statuses: readonly string[],
): Read {
  return pages(
    { path: `${OF}/${name}`, act: "trade.read", summary, list: { kind: "filtered", statuses } },
    form,
    async (asked, query) => {
      const partner = await partnerOf(asked);
      if (partner === undefined) return undefined;
      const read = asked.reading[list] as unknown as (of: ListQuery) => Promise<Listing<T>>;
      return await read({ ...query, partnerId: partner.partnerId });
    },
  );
}

function single<T>(
  name: string,
  summary: string,
  form: Written<T>,
  find: (reading: Reading, partnerId: number, id: string) => Promise<T | undefined> | undefined,
): Read {
  return one({ path: `${OF}/${name}/{id}`, act: "trade.read", summary }, form, async (asked) => {
    const partner = await partnerOf(asked);
    return partner && await find(asked.reading, partner.partnerId, asked.path["id"]!);
  });
}
