import { listAudit, listOperators, readApprovalPolicy } from "@sabika/core/admin";
import { listWithdrawalsToPay } from "@sabika/core/bank";
import { reconcile } from "@sabika/core/ledger";
import { listApprovals } from "@sabika/core/office";
import { listFundings, listTrades } from "@sabika/core/oversight";
import { listAuthorities, readPartners } from "@sabika/core/partners";
import { feedUrlForPeople, readPriceSettings } from "@sabika/core/trading";
import { readVaultReport } from "@sabika/core/vault";
import { Refused } from "../refused.ts";
import {
  APPROVAL,
  AUDIT_ENTRY,
  AUTHORITY,
  DIFFERENCE,
  FUNDING_OF,
  OPERATOR,
  POLICY,
  PRICES,
  TRADE,
  VAULT,
  WITHDRAWAL_TO_PAY,
} from "./forms.ts";
import { all, one, pageById, pages, type Read, uuidOf } from "./read.ts";

/** The most withdrawals that are shown as still to be paid. */
const TO_PAY = 1_000;

/** What waits, who may do what, the books, and what was done. */
export const OPERATION_READS: readonly Read[] = [
  pages(
    {
      path: "/orders",
      act: "trade.read",
      summary: "Orders of all partners",
      list: { kind: "filtered" },
    },
    TRADE,
    async ({ office: { admin: { database } } }, query) => {
      const { limit, cursor, createdFromMs: fromMs, createdToMs: toMs, idempotencyKey } = query;
      if (idempotencyKey !== undefined) {
        throw new Refused("invalid_request", "idempotency_key is asked of one partner");
      }
      const before = uuidOf("ord", cursor);
      const { trades, hasMore } = await listTrades(database, { limit, before, fromMs, toMs });
      return pageById(trades, hasMore);
    },
  ),
  pages(
    {
      path: "/fundings",
      act: "trade.read",
      summary: "Money that came in, of all partners",
      list: { kind: "paged" },
    },
    FUNDING_OF,
    async ({ office: { admin: { database } } }, { limit, cursor }) => {
      const found = await listFundings(database, { limit, before: uuidOf("fund", cursor) });
      return pageById(found.fundings, found.hasMore);
    },
  ),
  all(
    {
      path: "/withdrawals",
      act: "withdrawal.read",
      summary: "Withdrawals that are not finished, of all partners, oldest first",
    },
    WITHDRAWAL_TO_PAY,
    ({ office: { admin: { database } } }) => listWithdrawalsToPay(database.sql, { limit: TO_PAY }),
  ),
  all(
    { path: "/approvals", act: "approval.read", summary: "What waits for a second person" },
    APPROVAL,
    ({ office: { admin: { database, environment, now } } }) =>
      listApprovals(database.sql, environment, { nowMs: now() }),
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
  pages(
    {
      path: "/audit",
      act: "audit.read",
      summary: "The audit log, newest first",
      list: { kind: "paged" },
    },
    AUDIT_ENTRY,
    async ({ office: { admin: { database } } }, { limit, cursor }) => {
      if (cursor !== undefined && !/^[1-9][0-9]{0,14}$/.test(cursor)) {
        throw new Refused("invalid_request", "cursor is not a next_cursor of this list");
      }
      const beforeId = cursor === undefined ? undefined : BigInt(cursor);
      const found = await listAudit(database.sql, {
        limit: limit + 1,
        ...(beforeId === undefined ? {} : { beforeId }),
      });
      const data = found.slice(0, limit);
      const nextCursor = found.length > limit ? String(data.at(-1)!.auditId) : null;
      return { ok: true, page: { data, nextCursor } };
    },
  ),
  one(
    { path: "/vault", act: "vault.read", summary: "The gold, and whose it is" },
    VAULT,
    ({ office: { admin: { database } } }) => readVaultReport(database.sql),
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
    { path: "/authorities", act: "authority.read", summary: "The authorities in force" },
    AUTHORITY,
    ({ office: { admin: { database } } }) => listAuthorities(database),
  ),
  all(
    {
      path: "/reconcile",
      act: "books.read",
      summary: "Recounts everything: what does not agree, which is nothing when all is well",
    },
    DIFFERENCE,
    async ({ office: { admin: { database } } }) => {
      const [found, partners] = await Promise.all([
        reconcile(database),
        readPartners(database.sql, -1n),
      ]);
      const names = new Map(partners.map(({ partnerId, clientId }) => [partnerId, clientId]));
      return found.map((one) => ({
        ...one,
        clientId: one.partnerId === null ? null : names.get(one.partnerId) ?? null,
      }));
    },
  ),
];
