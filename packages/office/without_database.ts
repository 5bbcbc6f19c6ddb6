/** What of the office needs no database, for programs that load none. */
export { MOST_DAYS } from "./oversight/list_days.ts";
