/** The cells: which exist, which can be used, and whether they are what they claim to be. */
export { copyToCell } from "./cell_copies.ts";
export { type Cells, createCells, MAIN_CELL, mapCells, type OpenCells } from "./cells.ts";
export { isAway } from "./is_away.ts";
export { CellError, readCellUrls, verifyCell, verifyControl, verifyCopies } from "./verify_cell.ts";
