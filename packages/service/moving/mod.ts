/** Adds and drains cells, and moves a partner's rows from one to another while it trades. */
export { addCell, listCells } from "./cells.ts";
export { drainCell, removeCell, whyNotInto } from "./drain_cell.ts";
export { HeldElsewhere, holdMoves, type MovingPlace } from "./hold_moves.ts";
export { MOVE_STEPS, type MoveClocks, movePartner, type MoveStep } from "./move_partner.ts";
export {
  beginMove,
  findOpenMove,
  listOpenMoves,
  type OpenMove,
  type PartnerMove,
} from "./moves.ts";
export { createMoveKeeper } from "./resume_moves.ts";
