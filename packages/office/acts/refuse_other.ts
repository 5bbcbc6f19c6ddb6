import { refuse } from "@sabika/protocol";
import type { AdminRefusal } from "@sabika/terms";
import { type Dossier, firstDifference, parseDossier } from "./dossier/line.ts";
import { writeDifference } from "./dossier/write_line.ts";

/**
 * Returns the refusal of what was signed over another dossier than things are (Decision D96); undefined when its facts
 * are the same.
 *
 * @param signed the dossier in the signed arguments, whatever it is
 */
export function refuseOther(signed: unknown, now: Dossier): AdminRefusal | undefined {
  const read = parseDossier(JSON.stringify(signed));
  if (read === undefined) return refuse("invalid_setting", "the dossier is not a list of lines");
  const difference = firstDifference(read, now);
  return difference &&
    refuse("invalid_state", `${writeDifference(difference)} since it was shown: look again`);
}
