import type { Sql } from "@sabika/database";

/** Addresses that are measured together: a page with a filter, or a kind of search; each with other subjects. */
export interface Addresses {
  readonly name: string;
  readonly paths: readonly string[];
}

/** The ranks of the largest partner, two of middle size and a small one. */
const RANKS = [0, 5, 30, 150];

/** Lists every page of the console with its usual filters, and searches of every kind. */
export async function listAddresses(sql: Sql): Promise<Addresses[]> {
  const clients = await sql<{ id: number; name: string }[]>`
    select partner_id as id, client_id as name from partners join accounts using (partner_id)
    order by last_event desc, 1`;
  const some = RANKS.map((rank) => clients[Math.min(rank, clients.length - 1)]!);
  const samples = await Promise.all(some.map(({ id }) => sampleOf(sql, id)));
  const [old] = await sql<
    { day: string; recent: string; count: string; person: string; serial: string }[]
  >`
    select (current_date - 25)::text as day, (current_date - 1)::text as recent,
      (select name from operators order by operator_id desc limit 1) as person,
      (select serial from vault_bars where removed_at is null limit 1) as serial,
      (select count_id::text from vault_counts limit 1) as count`;
  const { day, recent, count, person, serial } = old!;
  const of = (path: (client: string) => string) => some.map(({ name }) => path(name));
  const each = (path: (sample: Sample) => string) => samples.map(path);
  const list = (path: string, ...filters: string[]): Addresses[] => [
    { name: path, paths: [path] },
    { name: `${path} of a partner`, paths: of((client) => `${path}?partner=${client}`) },
    {
      name: `${path} of a day`,
      paths: [`${path}?from=${day}&to=${day}`, `${path}?from=${recent}&to=${recent}`],
    },
    {
      name: `${path} of a partner's day`,
      paths: of((client) => `${path}?partner=${client}&from=${day}&to=${day}`),
    },
    ...filters.map((filter) => ({ name: `${path}?${filter}`, paths: [`${path}?${filter}`] })),
    ...filters.map((filter) => ({
      name: `${path}?${filter} of a partner`,
      paths: of((client) => `${path}?${filter}&partner=${client}`),
    })),
  ];
  const one = (...paths: string[]) =>
    paths.map((path) => ({ name: path || "today", paths: [path] }));
  return [
    ...one(
      "",
      "/partners",
      "/admission",
      "/people",
      `/people/${person}`,
      "/policy",
      "/prices",
      "/books",
      "/vault",
      "/vault?serial=7",
      "/pools/main/versions",
      "/pools/main/versions/1",
      `/bars/${encodeURIComponent(serial)}`,
      "/notifications",
    ),
    ...one("/approvals", "/approvals?state=all", `/approvals?for=${person}`),
    ...one(
      "/counts",
      `/counts/${count}`,
      "/counts/new",
      "/counts/new?place=room-1",
      "/counts/differences",
    ),
    ...list("/orders", "side=buy", "side=sell"),
    ...list("/quotes", "side=sell"),
    ...list("/fundings", "reference=FT1-7"),
    ...list("/withdrawals", "status=all", "status=failed", "status=pending"),
    ...list("/margins", "by=hour"),
    ...list("/audit", "who=person-1", "action=partner.update", "action=none"),
    ...one("/endpoints", "/endpoints?status=down", "/documents", "/documents?state=due"),
    ...one("/credentials", "/credentials?state=ending", "/credentials?state=ended"),
    { name: "/ledger", paths: of((client) => `/ledger?partner=${client}`) },
    {
      name: "/ledger of an account",
      paths: of((client) => `/ledger?partner=${client}&account=withdrawals`),
    },
    {
      name: "/ledger of a day",
      paths: of((client) => `/ledger?partner=${client}&from=${day}&to=${day}`),
    },
    { name: "/statements", paths: of((client) => `/statements?partner=${client}`) },
    {
      name: "/statements of a day",
      paths: of((client) => `/statements?partner=${client}&day=${day}`),
    },
    { name: "/partners/…", paths: of((client) => `/partners/${client}`) },
    { name: "/partners/…/change", paths: of((client) => `/partners/${client}/change`) },
    ...["", "?status=pending", "?status=delivered", "?status=exhausted", `?from=${day}&to=${day}`]
      .map((filter) => ({
        name: `/partners/…/deliveries${filter}`,
        paths: of((client) => `/partners/${client}/deliveries${filter}`),
      })),
    { name: "/orders/…", paths: each(({ order }) => `/orders/ord_${order}`) },
    { name: "/quotes/…", paths: each(({ quote }) => `/quotes/qt_${quote}`) },
    { name: "/events/…", paths: each(({ event }) => `/events/evt_${event}`) },
    { name: "/fundings/…", paths: each(({ funding }) => `/fundings/fund_${funding}`) },
    { name: "/withdrawals/…", paths: each(({ withdrawal }) => `/withdrawals/wd_${withdrawal}`) },
    ...searches(samples, some.map(({ name }) => name)),
  ];
}

/** Searches of every kind, for things of some partners. */
function searches(samples: readonly Sample[], clients: readonly string[]): Addresses[] {
  const each = (path: (sample: Sample) => string) => samples.map(path);
  const search = (kind: string, texts: readonly string[]) => ({
    name: `search: ${kind}`,
    paths: texts.map((text) => `/search?${new URLSearchParams({ q: text })}`),
  });
  return [
    search("order", each(({ order }) => `ord_${order}`)),
    search("quote", each(({ quote }) => `qt_${quote}`)),
    search("event", each(({ event }) => `evt_${event}`)),
    search("withdrawal", each(({ withdrawal }) => `wd_${withdrawal}`)),
    search("funding", each(({ funding }) => `fund_${funding}`)),
    search("no such id", ["ord_019e9c5e-4c0f-7d31-9b6e-0a1b2c3d4e5f"]),
    search("key", ["aaaaaaaa-0000-4000-8000-000000000001", "0123456789abcdef0123456789abcdef"]),
    search("bank's reference", each(({ reference }) => reference)),
    search("client's reference", each(({ clientReference }) => clientReference)),
    search("IBAN", each(({ iban }) => iban)),
    search("partner", clients),
    search("part of a partner's name", ["bank", "Bank 1"]),
    search("serial", ["S-7", "S-2999"]),
    search("amount of orders", ["486.22"]),
    search("amount of a payment", each(({ amount }) => amount)),
    search("amount, a miss", ["123456.78", "SAR 99,999.99"]),
    search("a miss", ["no such thing", "sabika"]),
  ];
}

type Sample = Awaited<ReturnType<typeof sampleOf>>;

/** Reads a few ids of a partner. */
async function sampleOf(sql: Sql, partnerId: number) {
  const [sample] = await sql<Record<
    | "order"
    | "quote"
    | "event"
    | "funding"
    | "withdrawal"
    | "reference"
    | "clientReference"
    | "iban"
    | "amount",
    string
  >[]>`
    select o.order_id as order, o.quote_id as quote, e.event_id as event, f.funding_id as funding, f.reference,
      w.withdrawal_id as withdrawal, w.client_reference as "clientReference", w.iban,
      trunc(w.amount_halalas / 100.0, 2)::text as amount
    from accounts a,
      lateral (select * from orders o where o.partner_id = a.partner_id order by order_id limit 1 offset 10) o,
      lateral (select * from events e where e.partner_id = a.partner_id and e.sequence = last_event / 2) e,
      lateral (select * from fundings f where f.partner_id = a.partner_id limit 1) f,
      lateral (select * from withdrawals w where w.partner_id = a.partner_id limit 1) w
    where a.partner_id = ${partnerId}::integer`;
  return sample!;
}
