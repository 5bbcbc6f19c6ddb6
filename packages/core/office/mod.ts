/** The one door of administrative acts: an act is a value that is checked, recorded and carried out. */
export {
  type ArgumentsOf,
  CARRIED_NAMES,
  type CarriedName,
  type ResultOf,
  shapeOfArguments,
  WAITING_NAMES,
} from "./catalogue.ts";
export type { Decided } from "./decide.ts";
export { findMistake, performAct, type Performed, performWith } from "./perform.ts";
export { UnbookedError } from "./record_act.ts";
export { type Approval, listApprovals } from "./read_approvals.ts";
export { makePersonsKey, readPersonsKey } from "./persons_key.ts";
