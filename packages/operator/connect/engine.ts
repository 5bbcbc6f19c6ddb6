import type { Performed } from "@sabika/office/acts";
import type { AskedAct } from "@sabika/office/people";
import type { ActArguments } from "@sabika/identity/signatures";
import type { ActName, AdminOutcome } from "@sabika/terms";

/** Carries out a command's acts: through the office over https, or in the command's own process. */
export interface Engine {
  /**
   * Adds an act's dossier to its arguments, for whoever has the key to sign them (Decision D96).
   *
   * @returns the arguments to sign; as they are where the engine makes no dossier of the act
   * @throws RefusedError when the act is about nothing that there is
   */
  describe(name: ActName, input: ActArguments, keyId: string): Promise<ActArguments>;
  /**
   * Carries out an act that somebody requests.
   *
   * @param needing the act that decides which keys and databases are opened; the office ignores it
   * @returns its result, that it waits for a second person, or its refusal
   * @throws LaterError when it is recorded, but a cell has not booked it yet; or when its answer was lost,
   *   with what became of it as far as that is known
   */
  perform(asked: AskedAct, needing: string): Promise<AdminOutcome<Performed<unknown>>>;
}
