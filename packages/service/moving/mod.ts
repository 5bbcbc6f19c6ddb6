/** Adds and drains cells, and moves a partner's rows from one to another while it trades. */
export { addCell, listCells } from "./cells.ts";
export { drainCell, removeCell, whyNotInto } from "./drain_cell.ts";
export { MOVE_STEPS, movePartner, type MoveStep } from "./move_partner.ts";
export { beginMove, findOpenMove, findOpenMoveOf, type PartnerMove } from "./moves.ts";
