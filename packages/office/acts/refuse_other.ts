import { refuse } from "@sabika/protocol";
import type { AdminOutcome, AdminRefusal } from "@sabika/terms";
import { isDossier } from "./dossier/check_dossier.ts";
import { type Dossier, firstDifference, splitArguments } from "./dossier/line.ts";
import { writeDifference } from "./dossier/write_line.ts";

/** Returns the dossier with which an act's arguments were signed, if any; the refusal of what is no dossier. */
export function readSigned(argumentsText: string): AdminOutcome<Dossier | undefined> {
  const { dossier } = splitArguments(JSON.parse(argumentsText));
  return dossier === undefined || isDossier(dossier)
    ? { ok: true, value: dossier }
    : refuse("invalid_setting", "the dossier is not a list of lines");
}

/**
 * Returns the refusal of what was signed over another dossier than things are (Decision D96); undefined when its facts
 * are the same.
 */
export function refuseOther(signed: Dossier, now: Dossier): AdminRefusal | undefined {
  const difference = firstDifference(signed, now);
  return difference &&
    refuse("invalid_state", `${writeDifference(difference)} since it was shown: look again`);
}
