import { type Database, mapConcurrently } from "@sabika/database";
import { isAway, MAIN_CELL } from "@sabika/service/cells";
import { listCells } from "@sabika/service/moving";
import { findPartner, type PartnerRecord } from "@sabika/service/partners";

/** The databases with partners' rows: control's own, and those of the cells. */
export interface Databases {
  readonly control: Database;
  /** Opens a cell's database, by the cell's name; rejects when the cell does not answer. */
  openCell(cellId: string): Promise<Database>;
}

/** A cell that does not answer now. */
export interface AwayCell {
  readonly cellId: string;
  /** The error of connecting to the cell or reading from it. */
  readonly error: unknown;
}

/** The results of the cells that answer now, and the cells that do not. */
export interface FromCells<T> {
  readonly found: readonly T[];
  /** The cells that do not answer, sorted by name. */
  readonly away: readonly AwayCell[];
}

/** Reads rows of partners, whichever cell they are in (Decision D53). */
export interface InCells {
  /** Opens the databases of all cells, control's own first; rejects when a cell does not answer. */
  all(): Promise<[control: Database, ...others: Database[]]>;
  /** Finds a partner, and opens the database with its rows; undefined when there is no such partner. */
  homeOf(clientId: string): Promise<PartnerRecord & { database: Database } | undefined>;
  /**
   * Reads in every cell, control's own first; or, for a partner, only in its cell, and nowhere if the
   * partner is unknown. Rejects when a cell does not answer.
   */
  readEach<T>(clientId: string | undefined, read: (database: Database) => Promise<T>): Promise<T[]>;
  /**
   * Like `readEach`, but reads the cells that answer, and returns those that do not: for lists, which can
   * name the cells that they lack. Rejects when control's own cell, or a partner's, does not answer.
   */
  readUsable<T>(
    clientId: string | undefined,
    read: (database: Database) => Promise<T>,
  ): Promise<FromCells<T>>;
  /** Opens the databases of the cells that answer, control's own first, and names those that do not. */
  usable(): Promise<{
    readonly found: readonly [control: Database, ...others: Database[]];
    readonly away: readonly AwayCell[];
  }>;
  /**
   * Returns what `find` returns in the first cell where that is not undefined. Rejects when `find` found
   * nothing and a cell does not answer.
   */
  findFirst<T>(find: (database: Database) => Promise<T | undefined>): Promise<T | undefined>;
}

/** Opens the database of a cell, which may be control's own. */
export async function databaseOf(
  { control, openCell }: Databases,
  cellId: string,
): Promise<Database> {
  return cellId === MAIN_CELL ? control : await openCell(cellId);
}

/** Makes the reader of all cells. */
export function inCells(databases: Databases): InCells {
  const { control, openCell } = databases;

  async function all(): Promise<[control: Database, ...others: Database[]]> {
    const cells = (await listCells(control.sql)).filter(({ cellId }) => cellId !== MAIN_CELL);
    return [control, ...await mapConcurrently(cells, ({ cellId }) => openCell(cellId))];
  }

  async function homeOf(
    clientId: string,
  ): Promise<PartnerRecord & { database: Database } | undefined> {
    const partner = await findPartner(control.sql, clientId);
    return partner && { ...partner, database: await databaseOf(databases, partner.cellId) };
  }

  /** Reads in the partner's cell; nothing for an unknown partner. */
  async function ofHome<T>(
    clientId: string,
    read: (database: Database) => Promise<T>,
  ): Promise<T[]> {
    const home = await homeOf(clientId);
    return home === undefined ? [] : [await read(home.database)];
  }

  /** Reads in the cells besides control's own that answer now. */
  async function ofOthers<T>(read: (database: Database) => Promise<T>): Promise<FromCells<T>> {
    const cells = (await listCells(control.sql)).filter(({ cellId }) => cellId !== MAIN_CELL);
    const away: AwayCell[] = [];
    const found = await mapConcurrently(cells, async ({ cellId }) => {
      try {
        return [await read(await openCell(cellId))];
      } catch (error) {
        if (!isAway(error)) throw error;
        away.push({ cellId, error });
        return [];
      }
    });
    return {
      found: found.flatMap((rows) => rows),
      away: away.sort((a, b) => a.cellId < b.cellId ? -1 : 1),
    };
  }

  return {
    all,
    homeOf,
    async readEach<T>(
      clientId: string | undefined,
      read: (database: Database) => Promise<T>,
    ): Promise<T[]> {
      return clientId === undefined
        ? await mapConcurrently(await all(), read)
        : await ofHome(clientId, read);
    },
    async readUsable<T>(
      clientId: string | undefined,
      read: (database: Database) => Promise<T>,
    ): Promise<FromCells<T>> {
      if (clientId !== undefined) return { found: await ofHome(clientId, read), away: [] };
      const [first, { found, away }] = await Promise.all([read(control), ofOthers(read)]);
      return { found: [first, ...found], away };
    },
    async usable() {
      const { found, away } = await ofOthers(async (database) => {
        await database.sql`select`;
        return database;
      });
      return { found: [control, ...found] as const, away };
    },
    async findFirst<T>(
      find: (database: Database) => Promise<T | undefined>,
    ): Promise<T | undefined> {
      const away: unknown[] = [];
      for (const { cellId } of await listCells(control.sql)) {
        try {
          const found = await find(await databaseOf(databases, cellId));
          if (found !== undefined) return found;
        } catch (error) {
          if (cellId === MAIN_CELL || !isAway(error)) throw error;
          away.push(error);
        }
      }
      if (away.length > 0) throw away[0];
      return undefined;
    },
  };
}
