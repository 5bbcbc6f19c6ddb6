/** The cells: which there are, which can be used, whether they are what they say. */
export { copyToCell } from "./cell_copies.ts";
export { type Cells, createCells, MAIN_CELL, ofEachCell, type OpenCells } from "./cells.ts";
export { isAway } from "./is_away.ts";
export { CellError, readCellUrls, verifyCell, verifyControl, verifyCopies } from "./verify_cell.ts";
