import { type Database, ofEach } from "@sabika/database";
import { isAway, MAIN_CELL } from "@sabika/service/cells";
import { listCells } from "@sabika/service/moving";
import { findPartner, type PartnerRecord } from "@sabika/service/partners";

/** Where partners' rows are: in control's own database, or in that of a cell. */
export interface Databases {
  readonly control: Database;
  /** A cell's, by its name; what it throws ends a reading, which would lack a part. */
  openCell(cellId: string): Promise<Database>;
}

/** A cell that cannot be asked now, and what that was seen by. */
export interface AwayCell {
  readonly cellId: string;
  readonly error: unknown;
}

/** What the cells say that can be asked now, control's own first. */
export interface FromCells<T> {
  readonly found: readonly T[];
  /** Those that cannot, by their names. */
  readonly away: readonly AwayCell[];
}

/** Where rows of partners are read, whichever cell they are in (Decision D53). */
export type InCells = ReturnType<typeof inCells>;

/** The database of a cell, control's own too. */
export async function databaseOf(
  { control, openCell }: Databases,
  cellId: string,
): Promise<Database> {
  return cellId === MAIN_CELL ? control : await openCell(cellId);
}

/** Puts together what reads in every cell. */
export function inCells(databases: Databases) {
  const { control, openCell } = databases;

  /** The databases of all cells, control's own first. */
  async function all(): Promise<[own: Database, ...others: Database[]]> {
    const cells = (await listCells(control.sql)).filter(({ cellId }) => cellId !== MAIN_CELL);
    return [control, ...await ofEach(cells, ({ cellId }) => openCell(cellId))];
  }

  /** A partner, and the database with its rows; undefined when there is no such partner. */
  async function homeOf(
    clientId: string,
  ): Promise<PartnerRecord & { database: Database } | undefined> {
    const partner = await findPartner(control.sql, clientId);
    return partner && { ...partner, database: await databaseOf(databases, partner.cellId) };
  }

  /** What the one cell of a partner has: nothing of an unknown one. */
  async function ofHome<T>(
    clientId: string,
    read: (database: Database) => Promise<T>,
  ): Promise<T[]> {
    const home = await homeOf(clientId);
    return home === undefined ? [] : [await read(home.database)];
  }

  /** What the cells beside control's own have that can be asked now. */
  async function ofOthers<T>(read: (database: Database) => Promise<T>): Promise<FromCells<T>> {
    const cells = (await listCells(control.sql)).filter(({ cellId }) => cellId !== MAIN_CELL);
    const away: AwayCell[] = [];
    const found = await ofEach(cells, async ({ cellId }) => {
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
    /** What every cell has, control's own first, or the one of a partner: nothing of an unknown one. */
    async ofEach<T>(
      clientId: string | undefined,
      read: (database: Database) => Promise<T>,
    ): Promise<T[]> {
      return clientId === undefined
        ? await ofEach(await all(), read)
        : await ofHome(clientId, read);
    },
    /**
     * The same of the cells that can be asked now, and which cannot: for what is true without their part,
     * and said to lack it. No sum is. Control's own, and the one of a partner, have to answer.
     */
    async ofUsable<T>(
      clientId: string | undefined,
      read: (database: Database) => Promise<T>,
    ): Promise<FromCells<T>> {
      if (clientId !== undefined) return { found: await ofHome(clientId, read), away: [] };
      const [here, { found, away }] = await Promise.all([read(control), ofOthers(read)]);
      return { found: [here, ...found], away };
    },
    /** The databases of the cells that answer now, control's own first, and which do not. */
    async usable() {
      const { found, away } = await ofOthers(async (database) => {
        await database.sql`select`;
        return database;
      });
      return { found: [control, ...found] as const, away };
    },
    /**
     * What the first cell has that has it; control's own is asked first. One that cannot be asked matters
     * when no other has it.
     */
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
