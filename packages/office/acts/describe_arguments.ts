import type { ActArguments } from "@sabika/identity/signatures";
import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import { ArgumentError } from "./arguments.ts";
import { DOSSIER, type Dossier, splitArguments } from "./dossier/line.ts";
import { type DossierContext, readDossier, type Signing } from "./read_dossier.ts";

/**
 * Adds an act's dossier to its arguments, as it is to be signed (Decision D96).
 *
 * @returns the arguments with the dossier, and the dossier by itself; a refusal where {@linkcode readDossier} has
 *   one, or when an argument is missing, has another form or is unknown
 */
export async function describeArguments(
  place: DossierContext,
  name: string,
  values: ActArguments,
  signing: Signing,
): Promise<AdminOutcome<{ readonly input: ActArguments; readonly dossier: Dossier }>> {
  const { input } = splitArguments(values);
  try {
    const dossier = await readDossier(place, name, input, signing);
    if (!dossier.ok) return dossier;
    const described = { ...input, [DOSSIER]: dossier.value } as unknown as ActArguments;
    return { ok: true, value: { input: described, dossier: dossier.value } };
  } catch (error) {
    if (error instanceof ArgumentError) return refuse("invalid_setting", error.message);
    throw error;
  }
}
