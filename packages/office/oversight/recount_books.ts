import { type Database, mapConcurrently } from "@sabika/database";
import { compareActs } from "@sabika/service/booking";
import { MAIN_CELL } from "@sabika/service/cells";
import {
  type Difference,
  type FoundDifference,
  keepRecountResult,
  type Reconciled,
} from "@sabika/service/ledger";
import { listCells } from "@sabika/service/moving";
import { readPartners } from "@sabika/service/partners";
import { databaseOf, type Databases } from "./in_cells.ts";

/** The databases to recount, and the name of the person who asks. */
export interface Books extends Databases {
  readonly who: string;
}

/** The result of the recounts of all databases together. */
export interface BooksRecount extends Omit<Reconciled, "differences"> {
  readonly differences: readonly FoundDifference[];
  /** How many partners were recounted. */
  readonly partners: number;
}

/**
 * Recounts control and each cell, compares the acts that control recorded for a cell with those that the
 * cell booked (Decision D53), and keeps the result in control.
 *
 * @param recount recounts one database; called for each
 */
export async function recountBooks(
  books: Books,
  recount: (database: Database) => Promise<Reconciled>,
): Promise<BooksRecount> {
  return await keepResult(books, undefined, () => recountCells(books, recount));
}

/**
 * Recounts one partner, in the cell where its rows are, and keeps the result in control.
 *
 * @param recount recounts that partner in the cell's database
 */
export async function recountPartner(
  books: Books,
  { clientId, cellId }: { readonly clientId: string; readonly cellId: string },
  recount: (database: Database) => Promise<Reconciled>,
): Promise<BooksRecount> {
  return await keepResult(books, clientId, async () => recount(await databaseOf(books, cellId)));
}

async function recountCells(
  books: Books,
  recount: (database: Database) => Promise<Reconciled>,
): Promise<Reconciled> {
  const { control } = books;
  const differences: Difference[] = [];
  const since: (number | null)[] = [];
  let unpricedOrders = 0n;
  // Opened first: a cell that cannot be used ends the recount before anything is counted.
  const cells = await mapConcurrently(
    await listCells(control.sql),
    async ({ cellId }) => [cellId, await databaseOf(books, cellId)] as const,
  );
  for (const [cellId, cell] of cells) {
    const found = await recount(cell);
    since.push(found.sinceMs);
    unpricedOrders += found.unpricedOrders;
    // One by one: there may be more than a call has arguments.
    for (const difference of found.differences) differences.push(difference);
    if (cellId === MAIN_CELL) continue;
    differences.push(...await compareActs({ control: control.sql, cell: cell.sql, cellId }));
  }
  return { differences, unpricedOrders, sinceMs: since.reduce(earlier) };
}

/** Returns the earlier of two starts; null is the first transfer. */
const earlier = (a: number | null, b: number | null) =>
  a === null || b === null ? null : Math.min(a, b);

async function keepResult(
  { control: { sql }, who }: Books,
  clientId: string | undefined,
  recount: () => Promise<Reconciled>,
): Promise<BooksRecount> {
  const startMs = performance.now();
  const all = await readPartners(sql, -1n);
  const clientIds = new Map(all.map((partner) => [partner.partnerId, partner.clientId]));
  const { differences, unpricedOrders, sinceMs } = await recount();
  const found = {
    differences: differences.map(({ partnerId, ...difference }) => ({
      ...difference,
      clientId: partnerId === null ? null : clientIds.get(partnerId) ?? null,
    })),
    partners: clientId === undefined ? all.length : 1,
    unpricedOrders,
    sinceMs,
  };
  await keepRecountResult(sql, {
    ...found,
    who,
    clientId: clientId ?? null,
    durationMs: performance.now() - startMs,
  });
  return found;
}
