import type { Database, Sql } from "@sabika/database";
import { CellError, verifyCell } from "../cells/verify_cell.ts";
import { SchemaError } from "../schema/schema_state.ts";

/** The cells, besides control's own, that an act can reach (Decision D53). */
export interface AdminCells {
  /** The names of all configured cells, whether they can be used or not. */
  names(): Promise<readonly string[]>;
  /**
   * Opens a cell's database, or returns the one that is already open.
   *
   * @throws {CellError} when it cannot be used now; the message says in one line why
   */
  open(cellId: string): Promise<Database>;
}

/** Open databases of cells; the code that opened them closes them. */
export interface OpenedAdminCells extends AdminCells {
  close(): Promise<void>;
}

/** What cells are opened with. */
export interface CellsAccess {
  /** The URLs of the cells' databases by their names. */
  readUrls(): Promise<ReadonlyMap<string, string>>;
  connect(url: string): Promise<OpenedCell>;
  /** Opens control's database, which lists the cells. */
  control(): Promise<Sql>;
}

interface OpenedCell {
  readonly database: Database;
  close(): Promise<void>;
}

/** Opens and checks each cell when it is first needed; a cell that failed is tried again. */
export function createAdminCells({ readUrls, connect, control }: CellsAccess): OpenedAdminCells {
  const opened = new Map<string, Promise<OpenedCell>>();
  let urls: ReturnType<typeof readUrls> | undefined;
  const urlsOnce = () => urls ??= readUrls();

  async function enter(cellId: string): Promise<OpenedCell> {
    const url = (await urlsOnce()).get(cellId);
    if (url === undefined) throw new CellError("SABIKA_CELLS_FILE has no line for it");
    const cell = await connect(url);
    try {
      await verifyCell({ database: cell.database, cellId, control: await control() });
      return cell;
    } catch (error) {
      await cell.close();
      throw error instanceof SchemaError ? new CellError(error.message) : error;
    }
  }

  return {
    names: async () => [...(await urlsOnce()).keys()],
    async open(cellId) {
      const opening = opened.get(cellId) ?? enter(cellId);
      opened.set(cellId, opening);
      try {
        return (await opening).database;
      } catch (error) {
        if (opened.get(cellId) === opening) opened.delete(cellId);
        throw error;
      }
    },
    async close() {
      // A cell that failed to open has nothing to close.
      const cells = await Promise.allSettled(opened.values());
      await Promise.all(cells.map((cell) => cell.status === "fulfilled" && cell.value.close()));
    },
  };
}
