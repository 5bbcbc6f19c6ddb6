import { refuse } from "@sabika/protocol";
import { asc, count, eq, ne } from "drizzle-orm";
import { type AnySql, type Database, drizzle } from "@sabika/database";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { MAIN_CELL } from "../cells/cells.ts";
import { CELL_STATES, cells } from "../cells/tables.ts";
import { CellError, hasCopies, verifyCell } from "../cells/verify_cell.ts";
import { partners } from "../partners/tables.ts";
import { SchemaError, verifySchema } from "../schema/schema_state.ts";
import { deployment } from "../schema/tables.ts";

/**
 * Adds a cell (Decision D53): a migrated database that subscribes to control's partners, and has none of its
 * own. The cell first records its deployment; if control's transaction then fails, the act can be repeated.
 *
 * @param cell the cell's database, opened as its operator
 */
export async function addCell(
  admin: AdminContext,
  cellId: string,
  cell: Database,
): Promise<AdminOutcome<null>> {
  return await inTransaction(admin, async (sql) => {
    const [here] = await drizzle(sql).select().from(deployment);
    if (here === undefined) return refuse("invalid_state", "control is of no deployment yet");
    const added = await drizzle(sql).insert(cells).values({ cellId }).onConflictDoNothing()
      .returning();
    if (added.length === 0) {
      return refuse("already_exists", `there is, or was, a cell "${cellId}" already`);
    }
    const refusal = await enter(admin.database, { ...here, cellId }, cell);
    if (refusal !== undefined) return refusal;
    await writeAudit(sql, admin, "cell.add", null, { cell: cellId });
    return { ok: true, value: null };
  });
}

/** Makes the cell's database part of the deployment, unless it belongs to something else. */
async function enter(
  control: Database,
  here: typeof deployment.$inferSelect,
  cell: Database,
): Promise<AdminRefusal | undefined> {
  try {
    await verifySchema(cell);
    // A database without copies could be a new deployment that has yet to begin.
    if (await hasCopies(cell.sql)) {
      const { environment, dataVersion, deploymentId, cellId } = here;
      await drizzle(cell.sql).insert(deployment)
        .values({ environment, dataVersion, deploymentId, cellId }).onConflictDoNothing();
    }
    await verifyCell({ database: cell, cellId: here.cellId, control: control.sql });
    return undefined;
  } catch (error) {
    if (!(error instanceof CellError || error instanceof SchemaError)) throw error;
    return refuse("invalid_state", error.message);
  }
}

/** A cell and how many partners it has. */
export interface CellEntry {
  readonly cellId: string;
  readonly state: (typeof CELL_STATES)[number];
  readonly addedAtMs: number;
  readonly partners: number;
}

/** All cells that were not removed, control's own first. */
export async function listCells(sql: AnySql): Promise<CellEntry[]> {
  const rows = await drizzle(sql)
    .select({
      cellId: cells.cellId,
      state: cells.state,
      addedAtMs: cells.addedAt,
      partners: count(partners.partnerId),
    })
    .from(cells).leftJoin(partners, eq(partners.cellId, cells.cellId))
    .where(ne(cells.state, "removed")).groupBy(cells.cellId, cells.state, cells.addedAt).orderBy(
      asc(cells.addedAt),
      asc(cells.cellId),
    );
  const isMain = ({ cellId }: CellEntry) => cellId === MAIN_CELL;
  return [...rows.filter(isMain), ...rows.filter((row) => !isMain(row))];
}
