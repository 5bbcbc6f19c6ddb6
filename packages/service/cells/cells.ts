/** The cell in control's own database; the only one until another is added. */
export const MAIN_CELL = "main";

/** One value for control and for each cell of a deployment (Decision D53), such as a database. */
export interface Cells<T> {
  /** For the database with partners, credentials, prices, the vault, people and the audit log. */
  readonly control: T;
  /**
   * For the cell with a partner's own rows: accounts, quotes, orders, events and what belongs to them.
   *
   * @throws {CellAwayError} when that cell cannot be used now
   */
  of(partnerId: number): T;
  /** For the cells that can be used now, by their names. */
  all(): ReadonlyMap<string, T>;
}

/** A partner's cell cannot be used now; nothing was done. */
export class CellAwayError extends Error {
  override name = "CellAwayError";
  /** As `classifyFailure` reads it. */
  readonly code = "CELL_AWAY";
}

/** Cells that become usable, or stop being usable, while the program runs. */
export interface OpenCells<T> extends Cells<T> {
  /** From now on this cell can be used. */
  add(cellId: string, value: T): void;
  /** From now on this cell cannot be used; resolves when everything that ran for it has ended. */
  remove(cellId: string): Promise<void>;
  /**
   * Calls `run` with the name of each cell as soon as it can be used; the function that `run` returns is
   * called when the cell can no longer be used.
   */
  each(run: (cellId: string) => (() => Promise<void>) | void): void;
}

/**
 * Creates the cells of a deployment, at first only control's own.
 *
 * @param cellOf the name of a partner's cell; undefined for an unknown partner
 */
export function createCells<T>(
  control: T,
  cellOf: (partnerId: number) => string | undefined,
): OpenCells<T> {
  const usable = new Map([[MAIN_CELL, control]]);
  type Run = Parameters<OpenCells<T>["each"]>[0];
  const waiting: Run[] = [];
  const endings = new Map<string, (() => Promise<void>)[]>();
  function begin(run: Run, cellId: string): void {
    const end = run(cellId);
    if (end !== undefined) endings.set(cellId, [...endings.get(cellId) ?? [], end]);
  }
  return {
    control,
    of(partnerId) {
      const cellId = cellOf(partnerId) ?? MAIN_CELL;
      const found = usable.get(cellId);
      if (found === undefined) throw new CellAwayError(`the cell "${cellId}" cannot be used now`);
      return found;
    },
    all: () => usable,
    add(cellId, value) {
      usable.set(cellId, value);
      for (const run of waiting) begin(run, cellId);
    },
    async remove(cellId) {
      usable.delete(cellId);
      const ends = endings.get(cellId) ?? [];
      endings.delete(cellId);
      await Promise.all(ends.map((end) => end()));
    },
    each(run) {
      waiting.push(run);
      for (const cellId of usable.keys()) begin(run, cellId);
    },
  };
}

/** Maps the values by `make`, once each: control's at once, a cell's when it is first needed. */
export function mapCells<T, U>(cells: Cells<T>, make: (value: T) => U): Cells<U> {
  const made = new Map<T, U>();
  const get = (cell: T): U => {
    if (!made.has(cell)) made.set(cell, make(cell));
    return made.get(cell)!;
  };
  return {
    control: get(cells.control),
    of: (partnerId) => get(cells.of(partnerId)),
    all: () => new Map(Array.from(cells.all(), ([cellId, cell]) => [cellId, get(cell)])),
  };
}
