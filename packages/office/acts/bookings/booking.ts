import { refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { type AnySql, drizzle, type Transaction } from "@sabika/database";
import type { AuditDetail, LockedPartner } from "@sabika/service/audit";
import type { RecordedAct } from "@sabika/service/booking";
import { accounts } from "@sabika/service/ledger";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { PartnerAdminContext } from "../../partners/partner_admin_context.ts";

/** The terms of a recorded act, by which the partner's cell books it; no `amount` or `note` if not needed. */
export interface BookingTerms {
  /** The UUID of the resource that the act creates or changes; the act's own id when left out. */
  readonly subjectId?: string;
  /** Halalas, micrograms or a number of deliveries, by the act. */
  readonly amount?: bigint;
  readonly note?: string;
  readonly audit: AuditDetail;
}

/** The context in which an act on a partner's rows is prepared. */
export interface BookingPlace {
  /** The context, with control's transaction that records the act. */
  readonly admin: PartnerAdminContext & { readonly transaction: Transaction };
  /** The partner's row, locked in that transaction. */
  readonly partner: LockedPartner;
  /** The partner's cell, to read its present state; this transaction if it is control's own. */
  readonly cell: AnySql;
}

/** The partner and the resource of a booked act. */
export interface BookedSubject {
  readonly partnerId: number;
  readonly subjectId: string;
  /** Whether an earlier request had recorded the act. */
  readonly isRepeated: boolean;
}

/**
 * An act on a partner's rows, in steps (Decision D53): control prepares and records it, the partner's
 * cell books it by `book_act`, and the result is read there.
 */
export interface Booking<INPUT, T> {
  /**
   * Returns the `terms` to record; a refusal; `done`, the result when there is nothing to do; or `same`,
   * a recorded act with the same effect that is still to be booked.
   */
  prepare(
    place: BookingPlace,
    input: INPUT,
  ): Promise<AdminOutcome<{ terms: BookingTerms } | { done: T } | { same: RecordedAct }>>;
  /** Reads the result in the cell, after the act was booked there. */
  read(cell: AnySql, subject: BookedSubject, input: INPUT): Promise<T>;
  /** Returns the refusal for what `book_act` returned in place of `booked`. */
  refuse(result: string, input: INPUT): AdminRefusal;
}

/** A booking whose input is the act's arguments, read. */
export type AnyBooking = Booking<Readonly<Record<string, unknown>>, unknown>;

/** Returns the refusal for a result of `book_act` that has no refusal for itself. */
export const refusedByCell = (result: string): AdminRefusal =>
  refuse("invalid_state", `the partner's cell refused it: ${result}`);

/** Reads a partner's accounts in its cell; undefined when it has none there. */
export async function readAccountsOf(
  cell: AnySql,
  partnerId: number,
): Promise<typeof accounts.$inferSelect | undefined> {
  const [row] = await drizzle(cell).select().from(accounts)
    .where(eq(accounts.partnerId, partnerId));
  return row;
}
