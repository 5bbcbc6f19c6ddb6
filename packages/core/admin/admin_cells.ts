import type { Database } from "../store/database.ts";

/** The cells beside control's own that whoever acts can reach (Decision D53). */
export interface AdminCells {
  /** All that are named, usable or not. */
  names(): Promise<readonly string[]>;
  /**
   * Opens a cell's database, or the one that is open already.
   *
   * @throws {CellError} when it cannot be used now; the message says in one line why
   */
  open(cellId: string): Promise<Database>;
}
