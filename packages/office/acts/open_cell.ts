import { refuse } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import type { AdminContext } from "@sabika/service/audit";
import { CellError } from "@sabika/service/cells";
import type { AdminOutcome } from "@sabika/terms";

/** Opens a cell's database; refuses with `invalid_state` while it cannot be used. */
export async function openCell(
  admin: Pick<AdminContext, "cells">,
  cellId: string,
): Promise<AdminOutcome<Database>> {
  try {
    if (admin.cells === undefined) throw new CellError("nothing here says where it is");
    return { ok: true, value: await admin.cells.open(cellId) };
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    const detail = `the cell "${cellId}" cannot be used from here: ${error.message}`;
    return refuse("invalid_state", detail);
  }
}
