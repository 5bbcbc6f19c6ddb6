import { refuse } from "@sabika/protocol";
import type { AdminContext } from "../admin/admin_context.ts";
import type { AdminOutcome } from "../admin/refusal.ts";
import type { Database } from "../store/database.ts";
import { CellError } from "../store/verify_cell.ts";

/** A cell's database, or the refusal of what needs it while it cannot be used. */
export async function openCell(
  admin: Pick<AdminContext, "cells">,
  cellId: string,
): Promise<AdminOutcome<Database>> {
  try {
    if (admin.cells === undefined) throw new CellError("nothing here says where it is");
    return { ok: true, value: await admin.cells.open(cellId) };
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    const why = `the cell "${cellId}" cannot be used from here: ${error.message}`;
    return refuse("invalid_state", why);
  }
}
