import { PARTNER_WHOLE, PARTNERS_DAY } from "@sabika/office/reads";
import type { LedgerEntry, Statement } from "@sabika/protocol";
import type { Session } from "../connect/session.ts";
import { notFound } from "../outcome.ts";
import { findOne } from "./read.ts";

/** A day's statement whose entries come some thousands at a time. */
export interface DaysStatement extends Omit<Statement, "entries"> {
  pages(): AsyncIterable<readonly LedgerEntry[]>;
}

/**
 * Opens a partner's day: whole from the office, from the database in parts (it may have millions of entries).
 *
 * @returns undefined when the day is not a date or has not begun
 * @throws RefusedError when there is no such partner
 */
export async function openStatement(
  session: Session,
  partner: string,
  day: string,
): Promise<DaysStatement | undefined> {
  if (session.office === undefined) {
    const { openStatementAtDatabase } = await import("./read_at_database.ts");
    return await openStatementAtDatabase(session, partner, day);
  }
  const statement = await findOne(session, PARTNERS_DAY, { path: { partner, day } });
  if (statement === undefined) {
    // It may be the partner that does not exist, rather than the day.
    const found = await findOne(session, PARTNER_WHOLE, { path: { partner } });
    if (found === undefined) throw notFound(`partner "${partner}"`);
    return undefined;
  }
  const { entries } = statement;
  return {
    ...statement,
    async *pages() {
      yield await Promise.resolve(entries);
    },
  };
}
