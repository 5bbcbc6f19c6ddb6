/** The part of the office that needs no database, for programs that load none. */
export { MOST_DAYS } from "./oversight/list_days.ts";
