import type { Performed } from "@sabika/office/acts";
import type { AskedAct } from "@sabika/office/people";
import type { AdminOutcome } from "@sabika/terms";

/** Where the command has acts done: the office over https, or the same door in its own process. */
export interface Engine {
  /**
   * Has an act done that somebody asks for.
   *
   * @param needing the act whose keys and databases are opened for it, where they are at hand
   * @returns what came of it, that it waits for a second person, or its refusal
   * @throws LaterError when it is recorded, and a cell is still to book it
   */
  perform(asked: AskedAct, needing: string): Promise<AdminOutcome<Performed<unknown>>>;
}
