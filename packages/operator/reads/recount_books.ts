import { reconcile, reconcileSince } from "@sabika/core/ledger";
import { recountBooks, recountPartner } from "@sabika/core/oversight";
import { findPartner } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import type { Session } from "../connect/session.ts";
import { notFound } from "../outcome.ts";
import type { Reads } from "./reads.ts";

/** Recounts a partner where its rows are, or control and every cell. */
export function recountOf(session: Session, control: Database): Reads["recount"] {
  const books = {
    ...{ control, who: session.actor.who },
    openCell: (cellId: string) => session.databaseOf(cellId),
  };
  return async ({ partner: clientId, full: whole }) => {
    if (clientId === undefined) {
      return await recountBooks(books, (database) => reconcileSince(database, { whole }));
    }
    const partner = await findPartner(control.sql, clientId);
    if (partner === undefined) throw notFound(`partner "${clientId}"`);
    const { partnerId } = partner;
    return await recountPartner(books, partner, async (database) => ({
      differences: await reconcile(database, { partnerId }),
      sinceMs: undefined,
    }));
  };
}
