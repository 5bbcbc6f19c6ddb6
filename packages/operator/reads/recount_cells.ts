import { listCells } from "@sabika/core/admin";
import {
  compareActs,
  type Difference,
  keepRecountResult,
  reconcile,
  reconcileSince,
} from "@sabika/core/ledger";
import { readPartners } from "@sabika/core/partners";
import { type Database, MAIN_CELL } from "@sabika/core/store";
import type { Session } from "../connect/session.ts";
import type { InCells } from "./in_cells.ts";
import type { Reads } from "./reads.ts";

/**
 * Recounts a partner where its rows are, or every cell by itself and what control recorded for it, and
 * keeps in control what that found.
 */
export function recountOf(session: Session, control: Database, cells: InCells): Reads["recount"] {
  async function recountAll(whole: boolean) {
    const all = await reconcileSince(control, { whole });
    for (const { cellId } of await listCells(control.sql)) {
      if (cellId === MAIN_CELL) continue;
      const cell = await session.databaseOf(cellId);
      const { differences, sinceMs } = await reconcileSince(cell, { whole });
      const acts = await compareActs({ control: control.sql, cell: cell.sql, cellId });
      all.differences.push(...differences, ...acts);
      all.sinceMs = earlier(all.sinceMs, sinceMs);
    }
    return all;
  }

  async function recountOne(clientId: string): Promise<{ differences: Difference[] }> {
    const { partnerId, database } = await cells.homeOf(clientId);
    return { differences: await reconcile(database, { partnerId }) };
  }

  return async ({ partner, full }) => {
    const startMs = performance.now();
    const partners = await readPartners(control.sql, -1n);
    const names = new Map(partners.map(({ partnerId, clientId }) => [partnerId, clientId]));
    const { differences, sinceMs } = partner === undefined
      ? await recountAll(full)
      : { ...await recountOne(partner), sinceMs: undefined };
    const found = {
      differences: differences.map(({ partnerId, ...one }) => ({
        ...one,
        clientId: partnerId === null ? null : names.get(partnerId) ?? null,
      })),
      partners: partner === undefined ? partners.length : 1,
    };
    await keepRecountResult(control.sql, {
      ...found,
      ...{ who: session.actor.who, clientId: partner ?? null, sinceMs: sinceMs ?? null },
      durationMs: performance.now() - startMs,
    });
    return { ...found, sinceMs };
  };
}

/** Undefined is the first transfer. */
const earlier = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : Math.min(a, b);
