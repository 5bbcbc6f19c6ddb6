import { refuse } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import type { AuditDetail } from "../admin/audit.ts";
import type { LockedPartner } from "../admin/change.ts";
import type { AdminOutcome, AdminRefusal } from "../admin/refusal.ts";
import type { PartnerAdminContext } from "../partners/partner_admin_context.ts";
import type { Sql } from "../store/database.ts";
import { drizzle } from "../store/drizzle.ts";
import { accounts } from "../store/schema/mod.ts";
import type { Transaction } from "../store/sql.ts";
import type { RecordedAct } from "../trading/book_act.ts";

/** What is recorded of an act, for the cell to book it by. */
export interface CellTerms {
  /** The UUID of what it is about or makes; left out, the act's own. */
  readonly subjectId?: string;
  readonly amount?: bigint;
  readonly note?: string;
  readonly audit: AuditDetail;
}

/** Where an act on the rows of a partner of another cell is prepared. */
export interface CellPlace {
  /** In the transaction of control that records it. */
  readonly admin: PartnerAdminContext & { readonly transaction: Transaction };
  /** Locked. */
  readonly partner: LockedPartner;
  /** The partner's cell, for what it looks like now. */
  readonly cell: Sql;
}

/** What an act was about that the cell has booked. */
interface BookedAct {
  readonly partnerId: number;
  readonly subjectId: string;
  /** Whether somebody else had recorded it before. */
  readonly isRepeated: boolean;
}

/**
 * How an act is done whose partner's rows are in another cell (Decision D53): control's share of it
 * beside what is recorded, and what it answers once the cell has booked it.
 */
export interface ActInCell<GIVEN, T> {
  /**
   * The terms; a refusal that is plain already; what came of it, when there is nothing to do; or an act
   * that is recorded already and does the same.
   */
  prepare(
    place: CellPlace,
    given: GIVEN,
  ): Promise<AdminOutcome<{ terms: CellTerms } | { done: T } | { same: RecordedAct }>>;
  /** Read in the cell after it was booked. */
  read(cell: Sql, of: BookedAct, given: GIVEN): Promise<T>;
  /** Why the cell refused what looked well when it was recorded. */
  refuse(result: string, given: GIVEN): AdminRefusal;
}

/** What the cell says when it refuses, for who asked. */
export const refusedByCell = (result: string): AdminRefusal =>
  refuse("invalid_state", `the partner's cell refused it: ${result}`);

/** A partner's accounts in its cell. */
export async function readAccountsOf(
  cell: Sql,
  partnerId: number,
): Promise<typeof accounts.$inferSelect | undefined> {
  const [row] = await drizzle(cell).select().from(accounts)
    .where(eq(accounts.partnerId, partnerId));
  return row;
}
