import type { Database } from "@sabika/database";
import { createAdminCells, type OpenedAdminCells } from "@sabika/service/audit";
import { CellError } from "@sabika/service/cells";
import { RefusedError } from "../outcome.ts";
import { openConnection } from "./open_connection.ts";
import { type CellsFileOf, readCellUrlsOf } from "./read_cell_urls_of.ts";

/** The session that cells are opened for: its control database and its data folder. */
interface CellsOf extends CellsFileOf {
  readonly dataFolder: string;
  database(): Promise<Database>;
}

/** The cells of the file that `SABIKA_CELLS_FILE` names; none without it. */
export function createSessionCells(session: CellsOf): OpenedAdminCells {
  return createAdminCells({
    readUrls: () => readCellUrlsOf(session),
    async connect(databaseUrl) {
      const isSandbox = await session.environment() === "sandbox";
      const { dataFolder } = session;
      try {
        return await openConnection({ databaseUrl, dataFolder, isSandbox });
      } catch (error) {
        throw error instanceof RefusedError ? new CellError(error.message) : error;
      }
    },
    control: async () => (await session.database()).sql,
  });
}
