/** The one door of administrative acts: an act is a value that is checked, recorded and carried out. */
export { type ArgumentsOf, type CarriedName, type ResultOf } from "./acts.ts";
export { performAct, performWith } from "./perform.ts";
export { makePersonsKey, readPersonsKey } from "./persons_key.ts";
