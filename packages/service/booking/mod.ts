/** Acts on partners' rows, recorded in control and booked in the partner's cell. */
export { bookAct, bookAtOnce, bookOpenActs, type RecordedAct } from "./book_act.ts";
export { compareActs } from "./compare_acts.ts";
export { readOpenActs } from "./open_acts.ts";
export { cellActs } from "./tables.ts";
