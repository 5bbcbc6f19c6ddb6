/** Administrative acts, each by its name and arguments, and their approvals. */
export type { AnyArgument, ArgumentMistakeCode, Quantity } from "./arguments.ts";
export { type ApprovalRule, readApprovalPolicy } from "./approval_rules.ts";
export { type ArgumentsOf, type CarriedName, type ResultOf, WAITING_NAMES } from "./catalogue.ts";
export type { Decided, Waiting } from "./decide.ts";
export { describeArguments } from "./describe_arguments.ts";
export { type ActOutcome, findActOutcome } from "./find_act_outcome.ts";
export {
  argumentsOfAct,
  findMistake,
  performAct,
  type Performed,
  performWith,
  tryAct,
} from "./perform.ts";
export {
  type BarsPreview,
  previewBars,
  type PreviewedLine,
  previewReplacement,
  type ReplacementPreview,
} from "./preview_bars.ts";
export { type Approval, listApprovals, listApprovalsFor } from "./read_approvals.ts";
export { UnbookedError } from "./record_act.ts";
