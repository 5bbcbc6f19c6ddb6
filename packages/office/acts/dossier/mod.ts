/** Dossiers of acts (Decision D96): what an act is about, in lines that every reader writes the same way. */
export { asDossier } from "./check_dossier.ts";
export { type Dossier, type Line, splitArguments } from "./line.ts";
export { writeChanged } from "./write_changed.ts";
export { type DossierNames, figure, writeLine, type WrittenLine } from "./write_line.ts";
