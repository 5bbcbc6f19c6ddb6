import type { AdminCells } from "@sabika/core/admin";
import { CellError, type Database, SchemaError, verifyCell } from "@sabika/core/store";
import { RefusedError } from "../outcome.ts";
import { type Connection, openConnection } from "./open_connection.ts";
import { type CellsFileOf, readCellUrlsOf } from "./read_cell_urls_of.ts";

/** The cells that one run of a command reaches, each opened on first use. */
export interface SessionCells extends AdminCells {
  close(): Promise<void>;
}

/** The run that cells are opened for: its control, and what else leads to databases. */
interface CellsOf extends CellsFileOf {
  readonly dataFolder: string;
  database(): Promise<Database>;
}

/** The cells of the file that `SABIKA_CELLS_FILE` names; none without it. */
export function createSessionCells(session: CellsOf): SessionCells {
  const connections = new Map<string, Promise<Connection>>();
  let urls: ReturnType<typeof readCellUrlsOf> | undefined;
  const readUrls = () => urls ??= readCellUrlsOf(session);

  async function connect(cellId: string): Promise<Connection> {
    const databaseUrl = (await readUrls()).get(cellId);
    if (databaseUrl === undefined) throw new CellError("SABIKA_CELLS_FILE has no line for it");
    const isSandbox = await session.environment() === "sandbox";
    const { dataFolder } = session;
    const connection = await openConnection({ databaseUrl, dataFolder, isSandbox });
    const { database } = connection;
    try {
      await verifyCell({ database, cellId, control: (await session.database()).sql });
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  return {
    names: async () => [...(await readUrls()).keys()],
    async open(cellId): Promise<Database> {
      if (!connections.has(cellId)) connections.set(cellId, connect(cellId));
      try {
        return (await connections.get(cellId)!).database;
      } catch (error) {
        const isKnown = error instanceof SchemaError || error instanceof RefusedError;
        throw isKnown ? new CellError(error.message) : error;
      }
    },
    async close() {
      for (const opening of connections.values()) {
        // One that failed to open has nothing to close.
        const connection = await opening.catch(() => undefined);
        await connection?.close();
      }
    },
  };
}
