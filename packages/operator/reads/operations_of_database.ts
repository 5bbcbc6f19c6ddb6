import {
  listAudit,
  listOperators,
  readApprovalPolicy,
  readAuditEntry,
  readAuditHead,
  readPeopleSince,
} from "@sabika/core/admin";
import { listWithdrawalsToPay } from "@sabika/core/bank";
import { readAccounts } from "@sabika/core/ledger";
import { listApprovals } from "@sabika/core/office";
import {
  findOpenMove,
  findPartner,
  hasRootKey,
  listAuthorities,
  listCredentials,
  listTokenKeys,
  type PartnerRecord,
  readPartners,
} from "@sabika/core/partners";
import { type Database, ofEach } from "@sabika/core/store";
import { listBars, readVaultReport } from "@sabika/core/vault";
import { type EndpointState, readEndpointStates } from "@sabika/core/webhooks";
import { holdingsOf } from "@sabika/office/wire";
import type { Session } from "../connect/session.ts";
import type { CellsOfSession } from "./in_cells.ts";
import type { Reads } from "./reads.ts";
import { recountOf } from "./recount_books.ts";

/** What partners have, who may do what, the vault, and what was done. */
export function readsOfOperations(session: Session, control: Database, cells: CellsOfSession) {
  const { sql } = control;
  const now = () => session.nowMs;
  type Accounts = Awaited<ReturnType<typeof readAccounts>>;

  function viewOf(partner: PartnerRecord, accounts: Accounts, endpoints: readonly EndpointState[]) {
    return {
      ...partner,
      holdings: holdingsOf(accounts, partner.partnerId),
      endpoint: endpoints.find(({ partnerId }) => partnerId === partner.partnerId) ?? null,
    };
  }

  return {
    async partners() {
      const databases = await cells.all();
      const [partners, accounts, endpoints] = await Promise.all([
        readPartners(sql, -1n),
        ofEach(databases, (one) => readAccounts(one.sql)),
        ofEach(databases, (one) => readEndpointStates(one.sql, now())),
      ]);
      const own = new Map(accounts.flatMap((some) => [...some]));
      return partners.map((partner) => viewOf(partner, own, endpoints.flat()));
    },
    async partner(id) {
      const partner = await findPartner(sql, id);
      if (partner === undefined) return undefined;
      const home = await session.databaseOf(partner.cellId);
      const [accounts, endpoints, moving] = await Promise.all([
        readAccounts(home.sql),
        readEndpointStates(home.sql, now(), partner.partnerId),
        findOpenMove(sql, partner.partnerId),
      ]);
      return { ...viewOf(partner, accounts, endpoints), moving };
    },
    credentials: ({ partner: clientId, kind }) => listCredentials(sql, now(), { clientId, kind }),
    async withdrawals({ partner: clientId, status, limit }) {
      const of = { clientId, status, limit };
      const found = await cells.ofEach(undefined, ({ sql }) => listWithdrawalsToPay(sql, of));
      return found.flat().sort((a, b) => a.createdAtMs - b.createdAtMs).slice(0, limit);
    },
    approvals: async (state) =>
      await listApprovals(sql, await session.environment(), { state, nowMs: now() }),
    approval: async (id) =>
      /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
        ? (await listApprovals(sql, await session.environment(), { id, nowMs: now() }))[0]
        : undefined,
    policy: () => readApprovalPolicy(sql),
    operators: () => listOperators(sql),
    deployment: async () => ({
      environment: await session.environment(),
      peopleSinceMs: await readPeopleSince(sql),
      rootKeyInDatabase: await hasRootKey(control),
    }),
    audit: ({ partner: clientId, limit }) => listAudit(sql, { clientId, limit }),
    auditHead: () => readAuditHead(sql),
    auditEntry: async (id) => await readAuditEntry(sql, await session.environment(), id),
    tokenKeys: () => listTokenKeys(sql, now()),
    recount: recountOf(session, control),
    async vault() {
      const [own, ...others] = await cells.all();
      return await readVaultReport(own.sql, others.map((cell) => cell.sql));
    },
    bars: () => listBars(sql),
    authorities: () => listAuthorities(control),
  } satisfies Partial<Reads>;
}
