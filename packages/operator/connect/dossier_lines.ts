import { type Dossier, writeLine } from "@sabika/office/dossier";

/** An act's dossier (Decision D96) for a terminal: label and value, old → new. */
export function dossierLines(dossier: Dossier): [label: string, value: string][] {
  return dossier.map((line) => {
    const { label, value, was } = writeLine(line, "en");
    return [label, was === undefined ? value : `${was} → ${value}`];
  });
}
