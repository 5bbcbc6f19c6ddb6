import type { Database } from "@sabika/database";
import type { AdminCells } from "@sabika/service/audit";
import { CellError } from "@sabika/service/cells";
import { Refused } from "../refused.ts";

/**
 * Opens a cell's database, for a read that would lack a part without it.
 *
 * @throws {Refused} with `service_unavailable` when it cannot be used now
 */
export async function openCell(
  { cells }: { readonly cells?: AdminCells | undefined },
  cellId: string,
): Promise<Database> {
  try {
    if (cells === undefined) throw new CellError("nothing here says where it is");
    return await cells.open(cellId);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    const detail = `the cell "${cellId}" cannot be used: ${error.message}`;
    throw new Refused("service_unavailable", detail, { cause: error });
  }
}
