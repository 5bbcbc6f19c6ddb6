import { listOperators, readApprovalPolicy, readPeopleSince } from "@sabika/core/admin";
import { listWithdrawalsToPay } from "@sabika/core/bank";
import { reconcile } from "@sabika/core/ledger";
import { listApprovals } from "@sabika/core/office";
import {
  findOrder,
  findOwner,
  listFundings,
  listTrades,
  newestOf,
  partOf,
  readEventStory,
  readQuoteOf,
  readTradeStory,
  recountBooks,
} from "@sabika/core/oversight";
import { findPartner, hasRootKey, listAuthorities, listTokenKeys } from "@sabika/core/partners";
import type { ListQuery } from "@sabika/core/store";
import { feedUrlForPeople, readPriceSettings } from "@sabika/core/trading";
import { listBars, readVaultReport } from "@sabika/core/vault";
import { parseId, SIDES, WITHDRAWAL_STATUSES } from "@sabika/protocol";
import { Refused } from "../refused.ts";
import {
  APPROVAL,
  AUTHORITY,
  BAR,
  DEPLOYMENT,
  DIFFERENCE,
  EVENT_STORY,
  FUNDING_OF,
  OPERATOR,
  POLICY,
  PRICES,
  QUOTE_OF,
  TOKEN_KEY,
  TRADE,
  TRADE_STORY,
  VAULT,
  WITHDRAWAL_TO_PAY,
} from "../wire/mod.ts";
import { openCell } from "./open_cell.ts";
import { all, type Asked, one, oneOfFilter, pages, type Read, uuidOf } from "./read.ts";

/** The most withdrawals that are shown as still to be paid. */
const TO_PAY = 1_000;

/** The part of a list over all partners that is asked for, or of the one that is named. */
async function periodOf(
  { office: { admin: { database } }, filter }: Asked,
  { limit, cursor, createdFromMs: fromMs, createdToMs: toMs, idempotencyKey }: Omit<
    ListQuery,
    "partnerId"
  >,
  prefix: "ord" | "fund",
) {
  if (idempotencyKey !== undefined) {
    throw new Refused("invalid_request", "idempotency_key is asked of one partner");
  }
  const { client_id: clientId } = filter;
  if (clientId !== undefined && await findPartner(database.sql, clientId) === undefined) {
    throw new Refused("not_found", `there is no partner "${clientId}"`);
  }
  return { limit, before: uuidOf(prefix, cursor), clientId, fromMs, toMs };
}

/** What waits, who may do what, and the books. */
export const OPERATION_READS: readonly Read[] = [
  one(
    { path: "/deployment", act: "partner.read", summary: "What the deployment is" },
    DEPLOYMENT,
    async ({ office: { admin: { database, environment } } }) => ({
      environment,
      peopleSinceMs: await readPeopleSince(database.sql),
      rootKeyInDatabase: await hasRootKey(database),
    }),
  ),
  pages(
    {
      path: "/orders",
      act: "trade.read",
      summary: "Orders of all partners, or of `client_id`",
      list: { kind: "filtered" },
      filters: ["client_id", "side"],
    },
    TRADE,
    async (asked, query) => {
      const of = {
        ...await periodOf(asked, query, "ord"),
        side: oneOfFilter(asked, "side", SIDES),
      };
      const found = await asked.office.cells.ofEach(of.clientId, async (database) => {
        const { trades: data, next } = await listTrades(database, of);
        return { data, next };
      });
      return { ok: true, page: newestOf(found, of.limit) };
    },
  ),
  one(
    {
      path: "/orders/{id}",
      act: "trade.read",
      summary: "One trade whole, by its order, quote, event or Idempotency-Key",
    },
    TRADE_STORY,
    ({ office: { admin: { environment, now }, cells }, path }) =>
      cells.findFirst(async (database) => {
        const found = await findOrder(database, path["id"]!);
        const of = { environment, nowMs: now() };
        return found && await readTradeStory(database, { ...of, orderId: found.orderId });
      }),
  ),
  one(
    { path: "/quotes/{id}", act: "trade.read", summary: "A quote, whosever it is" },
    QUOTE_OF,
    ({ office: { cells }, readingOf, path }) =>
      cells.findFirst((database) => readQuoteOf(database, readingOf(database), path["id"]!)),
  ),
  one(
    {
      path: "/events/{id}",
      act: "trade.read",
      summary: "An event, whosever it is, with every attempt to deliver it",
    },
    EVENT_STORY,
    ({ office: { cells }, readingOf, path }) =>
      cells.findFirst((database) => readEventStory(database, readingOf(database), path["id"]!)),
  ),
  pages(
    {
      path: "/fundings",
      act: "trade.read",
      summary: "Money that came in, of all partners or of `client_id`",
      list: { kind: "filtered" },
      filters: ["client_id", "reference"],
    },
    FUNDING_OF,
    async (asked, query) => {
      const { reference } = asked.filter;
      const of = { ...await periodOf(asked, query, "fund"), reference };
      const found = await asked.office.cells.ofEach(of.clientId, async (database) => {
        const { fundings, hasMore } = await listFundings(database, of);
        return partOf(fundings, hasMore);
      });
      return { ok: true, page: newestOf(found, of.limit) };
    },
  ),
  one(
    { path: "/fundings/{id}", act: "trade.read", summary: "Money that came in, whosever it is" },
    FUNDING_OF,
    async ({ office: { cells }, path }) => {
      const id = parseId("fund", path["id"]!);
      if (id === undefined) return undefined;
      return await cells.findFirst(async (database) =>
        (await listFundings(database, { id, limit: 1 })).fundings[0]
      );
    },
  ),
  all(
    {
      path: "/withdrawals",
      act: "withdrawal.read",
      summary: "Withdrawals that are not finished, or of `status` (or all), oldest first",
      filters: ["client_id", "status"],
    },
    WITHDRAWAL_TO_PAY,
    async (asked) => {
      const { client_id: clientId } = asked.filter;
      const status = oneOfFilter(asked, "status", [...WITHDRAWAL_STATUSES, "all"]);
      const of = {
        ...(clientId === undefined ? {} : { clientId }),
        ...(status === undefined ? {} : { status }),
        limit: TO_PAY,
      };
      const found = await asked.office.cells.ofEach(
        clientId,
        ({ sql }) => listWithdrawalsToPay(sql, of),
      );
      return found.flat().sort((a, b) => a.createdAtMs - b.createdAtMs).slice(0, TO_PAY);
    },
  ),
  one(
    { path: "/withdrawals/{id}", act: "withdrawal.read", summary: "A withdrawal, whosever it is" },
    WITHDRAWAL_TO_PAY,
    ({ office: { cells }, path }) =>
      cells.findFirst(async (database) => {
        const owner = await findOwner(database, "wd", path["id"]!);
        if (owner === undefined) return undefined;
        const of = { clientId: owner.clientId, id: owner.uuid, status: "all", limit: 1 } as const;
        return (await listWithdrawalsToPay(database.sql, of))[0];
      }),
  ),
  all(
    {
      path: "/approvals",
      act: "approval.read",
      summary: "What waits for a second person; with `state=all` what was decided too",
      filters: ["state"],
    },
    APPROVAL,
    async (asked) => {
      const { database, environment, now } = asked.office.admin;
      const state = oneOfFilter(asked, "state", ["waiting", "all"]) ?? "waiting";
      return await listApprovals(database.sql, environment, { nowMs: now(), state });
    },
  ),
  one(
    { path: "/approvals/{id}", act: "approval.read", summary: "A request, decided or not" },
    APPROVAL,
    async ({ office: { admin: { database, environment, now } }, path }) => {
      const id = path["id"]!;
      if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
      return (await listApprovals(database.sql, environment, { nowMs: now(), id }))[0];
    },
  ),
  one(
    { path: "/policy", act: "policy.read", summary: "What needs two people" },
    POLICY,
    ({ office: { admin: { database } } }) => readApprovalPolicy(database.sql),
  ),
  all(
    { path: "/operators", act: "operator.read", summary: "All people, their roles and keys" },
    OPERATOR,
    ({ office: { admin: { database } } }) => listOperators(database.sql),
  ),
  all(
    { path: "/vault/bars", act: "vault.read", summary: "The bars in the vault" },
    BAR,
    ({ office: { admin: { database } } }) => listBars(database.sql),
  ),
  one(
    { path: "/vault", act: "vault.read", summary: "The gold, and whose it is" },
    VAULT,
    async ({ office: { cells } }) => {
      const [own, ...others] = await cells.all();
      return await readVaultReport(own.sql, others.map(({ sql }) => sql));
    },
  ),
  one(
    { path: "/prices", act: "price.read", summary: "Where prices come from" },
    PRICES,
    async ({ office: { admin: { database, secrets } } }) => {
      const settings = await readPriceSettings(database.sql, secrets);
      if (settings === undefined) return undefined;
      const { origin, paused, updatedAtMs } = settings;
      return {
        ...{ source: origin.source, paused, updatedAtMs },
        midTenThousandths: origin.source === "fixed" ? origin.midTenThousandths : null,
        feedUrl: origin.source === "feed" ? feedUrlForPeople(origin.feed.url) : null,
      };
    },
  ),
  all(
    {
      path: "/token-keys",
      act: "token-key.read",
      summary: "The keys for access tokens that have not ended, newest first",
    },
    TOKEN_KEY,
    ({ office: { admin: { database, now } } }) => listTokenKeys(database.sql, now()),
  ),
  all(
    { path: "/authorities", act: "authority.read", summary: "The authorities in force" },
    AUTHORITY,
    ({ office: { admin: { database } } }) => listAuthorities(database),
  ),
  all(
    {
      path: "/reconcile",
      act: "books.read",
      summary:
        "Recounts everything, of every cell: what does not agree, which is nothing when all is well",
    },
    DIFFERENCE,
    async ({ office: { admin }, person }) => {
      const books = {
        ...{ control: admin.database, who: person.name },
        openCell: (cellId: string) => openCell(admin, cellId),
      };
      const { differences } = await recountBooks(
        books,
        async (database) => ({ differences: await reconcile(database), sinceMs: undefined }),
      );
      return differences;
    },
  ),
];
