/** Acts on a partner's rows, booked on control and carried out in its cell. */
export { bookAct, bookAtOnce, bookOpenActs, type RecordedAct } from "./book_act.ts";
export { compareActs } from "./compare_acts.ts";
export { readOpenActs } from "./open_acts.ts";
export { cellActs } from "./tables.ts";
