/** Compares a cell with control, and mends what differs. */
export { type CellDifference, compareCell, summariseDifferences } from "./compare_cell.ts";
export { mendCell, recordMending } from "./mend_cell.ts";
