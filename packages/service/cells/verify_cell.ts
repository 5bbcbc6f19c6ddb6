import { eq } from "drizzle-orm";
import { type Database, drizzle, readDatabaseUrl, type Sql } from "@sabika/database";
import { verifySchema } from "../schema/schema_state.ts";
import { deployment } from "../schema/tables.ts";
import { MAIN_CELL } from "./cells.ts";
import { cells } from "./tables.ts";

/** A database cannot be used as the cell that it is configured as; the message says why in one line. */
export class CellError extends Error {
  override name = "CellError";
}

/**
 * Reads the URLs of cells by their names: one line for each, `NAME postgres://…`.
 *
 * @throws TypeError with the number of the line that cannot be read
 */
export function readCellUrls(text: string): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [, cellId, url] = /^([a-z][a-z0-9_]{0,30})\s+(postgres(?:ql)?:\/\/\S+)\s*$/.exec(line) ??
      [];
    if (cellId === undefined || cellId === MAIN_CELL || urls.has(cellId)) {
      throw new TypeError(
        `line ${index + 1} is not a cell's name, other than ${MAIN_CELL}, and its postgres:// URL`,
      );
    }
    try {
      readDatabaseUrl(url!);
    } catch (error) {
      throw new TypeError(`line ${index + 1}: ${(error as Error).message}`);
    }
    urls.set(cellId, url!);
  }
  return urls;
}

/**
 * Checks that a database may serve as a cell now: this program may work on its schema, it was added
 * under this name to the deployment of `control`, and it has its copy of the partners.
 *
 * @throws {SchemaError | CellError} when it may not
 */
export async function verifyCell(
  { database, cellId, control }: { database: Database; cellId: string; control: Sql },
): Promise<void> {
  await verifySchema(database);
  const [expected] = await drizzle(control).select().from(deployment);
  const [other] = await drizzle(database.sql).select().from(deployment);
  if (other !== undefined && other.deploymentId !== expected?.deploymentId) {
    throw new CellError("this database is another deployment's");
  }
  if (other !== undefined && other.cellId !== cellId) {
    throw new CellError(`this database is the cell "${other.cellId}"`);
  }
  await verifyCopies(database.sql, control);
  const [listed] = await drizzle(control).select().from(cells).where(eq(cells.cellId, cellId));
  if (listed?.state === "removed") {
    throw new CellError(`the cell "${cellId}" was removed: its line is of no use any more`);
  }
  if (other === undefined) {
    throw new CellError(`nobody has added this database: \`sabika cell add ${cellId}\` does`);
  }
}

/**
 * Checks that this program may work on a database, as `verifySchema` does, and that it is control: a cell
 * takes no commands. A new database may become control.
 *
 * @throws {SchemaError | CellError} when it may not
 */
export async function verifyControl(database: Database): Promise<void> {
  await verifySchema(database);
  const [actual] = await drizzle(database.sql).select().from(deployment);
  if (actual === undefined || actual.cellId === MAIN_CELL) return;
  throw new CellError(
    `this database is the cell "${actual.cellId}" of a deployment: give control's URL`,
  );
}

/**
 * Checks that control's writes reach a cell: that the cell has its copies, and control the replication
 * slot that continues them. A promotion of control loses the slot; a slot too far behind is invalidated.
 *
 * @throws {CellError} when they do not
 */
export async function verifyCopies(cell: Sql, control: Sql): Promise<void> {
  if (!await hasCopies(cell)) {
    throw new CellError(
      "this database has no copies of partners, cells, acts, moves and price settings yet: docs/scale.md says how it gets them",
    );
  }
  const [subscribed] = await cell<{ slot: string | null }[]>`
    select subslotname as slot from pg_subscription where oid in (
      select srsubid from pg_subscription_rel where srrelid = 'public.partners'::regclass)`;
  const slot = subscribed?.slot ?? "";
  const kept = await control`select from pg_replication_slots
    where slot_name = ${slot} and wal_status is distinct from 'lost'`;
  if (kept.length > 0) return;
  throw new CellError(
    `control no longer keeps the slot "${slot}" for this cell's copies: docs/scale.md says what to do after ` +
      "a promotion of control",
  );
}

/** Whether the database's subscriptions have copied control's rows: partners, cells, acts, moves and the price's settings. */
export async function hasCopies(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ copied: number }[]>`select count(*)::int as copied
    from pg_subscription_rel where srsubstate = 'r'
      and srrelid in ('public.partners'::regclass, 'public.cells'::regclass,
        'public.cell_acts'::regclass, 'public.partner_moves'::regclass,
        'public.price_settings'::regclass)`;
  return row!.copied === 5;
}
