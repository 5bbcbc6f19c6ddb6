import {
  formatHalalas,
  parseId,
  refuse,
  type Withdrawal,
  type WithdrawalStatus,
} from "@sabika/protocol";
import { and, eq, isNull } from "drizzle-orm";
import { type AnySql, drizzle, type Transaction } from "@sabika/database";
import { cellActs } from "@sabika/service/booking";
import { readWithdrawal, withdrawals } from "@sabika/service/withdrawals";
import { type Booking, refusedByCell } from "./booking.ts";

/** The state that a withdrawal must have, by the state that it goes to (Decision D13). */
const FROM = {
  processing: "pending",
  completed: "processing",
  failed: "processing",
  cancelled: "pending",
} as const satisfies Partial<Record<WithdrawalStatus, WithdrawalStatus>>;

interface Step {
  /** `wd_…` */
  readonly withdrawal: string;
  /** The client id and the amount, halalas, that the withdrawal must have; any when left out. */
  readonly partner?: string | undefined;
  readonly amount_sar?: bigint | undefined;
  /** Why the payment failed. */
  readonly failure?: string;
}

/**
 * Takes a withdrawal to its next state (Decision D13): `pending → processing → completed | failed`,
 * `pending → cancelled`. A withdrawal that fails or is cancelled returns the money.
 */
export const moveWithdrawal = (to: keyof typeof FROM): Booking<Step, Withdrawal> => ({
  async prepare(
    { admin, partner: { partnerId, clientId }, cell },
    { withdrawal, partner = clientId, amount_sar, failure },
  ) {
    if (failure !== undefined && !isReason(failure)) {
      return refuse("invalid_setting", "a failure's reason has 1 to 256 characters on one line");
    }
    const subjectId = parseId("wd", withdrawal)!;
    // Read before the cell: a step that is booked in between is then seen in the cell.
    const open = await findOpenStep(admin.transaction, partnerId, subjectId);
    if (open !== undefined) {
      return refuse(
        "invalid_state",
        `${open} is recorded for it, and its cell is about to book it`,
      );
    }
    const { status, amountHalalas } = await findWithdrawal(cell, partnerId, subjectId);
    if (status !== FROM[to]) {
      return refuse("invalid_state", `the withdrawal is ${status}: it cannot become ${to}`);
    }
    if (partner !== clientId || (amount_sar ?? amountHalalas) !== amountHalalas) {
      return refuse("invalid_amount", "the withdrawal is another partner's, or of another amount");
    }
    const audit = { withdrawalId: withdrawal, amount: formatHalalas(amountHalalas) };
    const amount = amount_sar === undefined ? {} : { amount: amount_sar };
    const terms = failure === undefined
      ? { subjectId, ...amount, audit }
      : { subjectId, ...amount, note: failure, audit: { ...audit, failure } };
    return { ok: true, value: { terms } };
  },
  read: (cell, { partnerId, subjectId }) => findWithdrawal(cell, partnerId, subjectId),
  refuse: (result) =>
    result === "wrong_status"
      ? refuse("invalid_state", `the withdrawal cannot become ${to} any more`)
      : refusedByCell(result),
});

/** Whether a text can be a reason: one line of 1 to 256 characters. */
export const isReason = (text: string): boolean => /^\S(?:.{0,254}\S)?$/.test(text);

/** The name of a step that control has recorded for a withdrawal and the cell is still to book. */
async function findOpenStep(control: Transaction, partnerId: number, subjectId: string) {
  const [row] = await drizzle(control).select({ name: cellActs.name }).from(cellActs).where(and(
    isNull(cellActs.result),
    eq(cellActs.partnerId, partnerId),
    eq(cellActs.subjectId, subjectId),
  ));
  return row?.name;
}

async function findWithdrawal(cell: AnySql, partnerId: number, withdrawalId: string) {
  const [row] = await drizzle(cell).select().from(withdrawals).where(
    and(eq(withdrawals.partnerId, partnerId), eq(withdrawals.withdrawalId, withdrawalId)),
  );
  return readWithdrawal(row!);
}
