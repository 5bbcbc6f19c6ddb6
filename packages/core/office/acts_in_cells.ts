import {
  formatHalalas,
  formatId,
  formatMicrograms,
  parseId,
  refuse,
  uuidV7,
} from "@sabika/protocol";
import { and, eq, isNull } from "drizzle-orm";
import { stampRevision } from "../admin/change.ts";
import { checkCredit, referenceUsed } from "../bank/credit_bank_transfer.ts";
import { checkStep, wrongStatus } from "../bank/move_withdrawal.ts";
import {
  disabled,
  disabledBefore,
  noEndpoint,
  noEvent,
  readEndpoint,
} from "../partners/operations/webhook_operations.ts";
import type { Sql } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { cellActs, events, fundings, partners, withdrawals } from "../store/schema/mod.ts";
import type { Transaction } from "../store/sql.ts";
import { readWithdrawal } from "../withdrawals/read_withdrawals.ts";
import { FROM, type WithdrawalStep } from "../trading/settle_withdrawal.ts";
import { lessAllocated, lessInVault, notPositive } from "../vault/allocations.ts";
import { changeVault } from "../vault/bars.ts";
import { DISABLED_BY_OPERATOR, readEndpointStates } from "../webhooks/endpoint_states.ts";
import type { CARRIED_ACTS } from "./acts.ts";
import type { ReadArguments } from "./arguments.ts";
import { type ActInCell, readAccountsOf, refusedByCell } from "./cell_act.ts";
import type { ResultOf } from "./catalogue.ts";

type Carried = typeof CARRIED_ACTS;
type Table = {
  readonly [N in keyof Carried]?: ActInCell<ReadArguments<Carried[N]["readers"]>, ResultOf<N>>;
};
type Of<N extends keyof Carried> = ActInCell<ReadArguments<Carried[N]["readers"]>, ResultOf<N>>;

const credit: Of<"funding.credit"> = {
  async prepare({ admin, partner: { partnerId }, cell }, { amount_sar: amount, reference }) {
    const wrong = checkCredit(amount, reference);
    if (wrong !== undefined) return wrong;
    // Before the cell is asked: what is no longer open by then has its funding there.
    const same = await findOpenCredit(admin.transaction, partnerId, reference);
    if (same !== undefined) {
      return same.amount === amount
        ? { ok: true, value: { same } }
        : referenceUsed(reference, { amountHalalas: same.amount! });
    }
    const before = await findFunding(cell, partnerId, reference);
    if (before !== undefined && before.amountHalalas !== amount) {
      return referenceUsed(reference, before);
    }
    if (before !== undefined) {
      return { ok: true, value: { done: { funding: before, repeated: true } } };
    }
    const subjectId = uuidV7(admin.now(), admin.random);
    const audit = {
      fundingId: formatId("fund", subjectId),
      amount: formatHalalas(amount),
      reference,
    };
    return { ok: true, value: { terms: { subjectId, amount, note: reference, audit } } };
  },
  async read(cell, { partnerId, subjectId, isRepeated }, { reference }) {
    const funding = (await findFunding(cell, partnerId, reference))!;
    return { funding, repeated: isRepeated || funding.id !== formatId("fund", subjectId) };
  },
  refuse: (result, { reference }) =>
    result === "reference_used"
      ? refuse("already_exists", `the reference "${reference}" was credited before`)
      : refusedByCell(result),
};

/** A credit with this reference that control has recorded, and the cell is still to book. */
async function findOpenCredit(control: Transaction, partnerId: number, reference: string) {
  const [row] = await drizzle(control).select().from(cellActs).where(and(
    isNull(cellActs.result),
    eq(cellActs.partnerId, partnerId),
    eq(cellActs.name, "funding.credit"),
    eq(cellActs.note, reference),
  ));
  return row;
}

async function findFunding(cell: Sql, partnerId: number, reference: string) {
  const [row] = await drizzle(cell).select().from(fundings)
    .where(and(eq(fundings.partnerId, partnerId), eq(fundings.reference, reference)));
  return row && {
    id: formatId("fund", row.fundingId),
    status: "completed" as const,
    amountHalalas: row.amountHalalas,
    balanceHalalas: row.cashAfterHalalas,
    createdAtMs: row.createdAt,
  };
}

const step = <G extends { withdrawal: string }>(
  stepOf: (given: G) => WithdrawalStep,
): ActInCell<G, ReturnType<typeof readWithdrawal>> => ({
  async prepare({ admin, partner: { partnerId }, cell }, given) {
    const to = stepOf(given);
    const wrong = checkStep(to);
    if (wrong !== undefined) return wrong;
    const subjectId = parseId("wd", given.withdrawal)!;
    // Before the cell is asked: a step that is no longer open by then is seen there.
    const open = await findOpenStep(admin.transaction, partnerId, subjectId);
    if (open !== undefined) {
      return refuse(
        "invalid_state",
        `${open} is recorded for it, and its cell is about to book it`,
      );
    }
    const found = await findWithdrawal(cell, partnerId, subjectId);
    if (!FROM[to.to].includes(found.status)) return wrongStatus(found.status, to);
    const failure = to.to === "failed" ? to.failure : undefined;
    const audit = {
      withdrawalId: given.withdrawal,
      amount: formatHalalas(found.amountHalalas),
      ...failure !== undefined && { failure },
    };
    const note = failure !== undefined && { note: failure };
    return { ok: true, value: { terms: { subjectId, ...note, audit } } };
  },
  read: (cell, { partnerId, subjectId }) => findWithdrawal(cell, partnerId, subjectId),
  refuse: (result, given) =>
    result === "wrong_status"
      ? refuse("invalid_state", `the withdrawal cannot become ${stepOf(given).to} any more`)
      : refusedByCell(result),
});

/** A step of this withdrawal that control has recorded, and the cell is still to book; its name. */
async function findOpenStep(control: Transaction, partnerId: number, subjectId: string) {
  const [row] = await drizzle(control).select({ name: cellActs.name }).from(cellActs).where(and(
    isNull(cellActs.result),
    eq(cellActs.partnerId, partnerId),
    eq(cellActs.subjectId, subjectId),
  ));
  return row?.name;
}

async function findWithdrawal(cell: Sql, partnerId: number, withdrawalId: string) {
  const [row] = await drizzle(cell).select().from(withdrawals).where(
    and(eq(withdrawals.partnerId, partnerId), eq(withdrawals.withdrawalId, withdrawalId)),
  );
  return readWithdrawal(row!);
}

const grant = (kind: "allocate" | "release"): Of<"vault.allocate"> => ({
  async prepare({ admin, partner: { partnerId }, cell }, { partner, grams }) {
    if (grams <= 0n) return notPositive();
    const own = await readAccountsOf(cell, partnerId);
    if (kind === "release" && (own?.allocationMicrograms ?? 0n) < grams) {
      return lessAllocated(partner, grams);
    }
    // What is released is promised until the cell has booked it.
    if (kind === "allocate" && !await changeVault(admin.transaction, "allocated", grams)) {
      return lessInVault(grams);
    }
    const audit = { grams: formatMicrograms(grams) };
    return { ok: true, value: { terms: { amount: grams, audit } } };
  },
  async read(cell, { partnerId }) {
    const own = await readAccountsOf(cell, partnerId);
    return { allocationMicrograms: own!.allocationMicrograms };
  },
  refuse: (result, { partner, grams }) =>
    result === "insufficient_allocation" ? lessAllocated(partner, grams) : refusedByCell(result),
});

const ping: Of<"webhook.ping"> = {
  async prepare({ admin, partner: { partnerId, clientId, webhookUrl }, cell }) {
    if (webhookUrl === null) return noEndpoint(clientId);
    const [state] = await readEndpointStates(cell, admin.now(), partnerId);
    if (state?.status === "disabled") return disabled(clientId);
    const subjectId = uuidV7(admin.now(), admin.random);
    const note = JSON.stringify({ client_id: clientId });
    const audit = { eventId: formatId("evt", subjectId) };
    return { ok: true, value: { terms: { subjectId, note, audit } } };
  },
  read: (_cell, { subjectId }) => Promise.resolve({ eventId: formatId("evt", subjectId) }),
  refuse: refusedByCell,
};

const lane = (verb: "enable" | "disable"): Of<"webhook.enable"> => ({
  async prepare({ admin, partner: { partnerId, clientId, webhookUrl }, cell }) {
    if (webhookUrl === null) return noEndpoint(clientId);
    if (verb === "enable") return { ok: true, value: { terms: { audit: {} } } };
    const [state] = await readEndpointStates(cell, admin.now(), partnerId);
    if (state?.disabledBy === "operator") return disabledBefore(clientId);
    return { ok: true, value: { terms: { note: DISABLED_BY_OPERATOR, audit: {} } } };
  },
  read: () => Promise.resolve(null),
  refuse: refusedByCell,
});

const redeliver: Of<"webhook.redeliver"> = {
  async prepare({ partner: { partnerId, clientId }, cell }, { event }) {
    const subjectId = parseId("evt", event);
    const [found] = subjectId === undefined ? [] : await drizzle(cell).select().from(events)
      .where(and(eq(events.partnerId, partnerId), eq(events.eventId, subjectId)));
    if (found === undefined) return noEvent(clientId, event);
    const audit = { eventId: event };
    return { ok: true, value: { terms: { subjectId: found.eventId, audit } } };
  },
  read: () => Promise.resolve(null),
  refuse: refusedByCell,
};

const setUrl: Of<"webhook.set"> = {
  async prepare({ admin, partner: { partnerId, webhookUrl: before } }, { url: text, in_flight }) {
    const url = await readEndpoint(admin, text, in_flight);
    if (!url.ok) return url;
    const sql = admin.transaction;
    await drizzle(sql).update(partners).set({ webhookUrl: url.value })
      .where(eq(partners.partnerId, partnerId));
    await stampRevision(sql, partnerId);
    const audit = { before, after: url.value, ...in_flight && { in_flight } };
    const amount = in_flight === undefined ? {} : { amount: BigInt(in_flight) };
    return { ok: true, value: { terms: { ...amount, audit } } };
  },
  read: (_cell, _of, { url }) => Promise.resolve(url),
  refuse: refusedByCell,
};

/** The acts on a partner's own rows, as they are done when those are in another cell. */
export const ACTS_IN_CELLS: Table = {
  "funding.credit": credit,
  "withdrawal.processing": step(() => ({ to: "processing" })),
  "withdrawal.completed": step(() => ({ to: "completed" })),
  "withdrawal.cancelled": step(() => ({ to: "cancelled" })),
  "withdrawal.failed": step(({ failure }) => ({ to: "failed", failure })),
  "vault.allocate": grant("allocate"),
  "vault.release": grant("release"),
  "webhook.set": setUrl,
  "webhook.ping": ping,
  "webhook.enable": lane("enable"),
  "webhook.disable": lane("disable"),
  "webhook.redeliver": redeliver,
};
