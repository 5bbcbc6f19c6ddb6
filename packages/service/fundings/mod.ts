/** Money paid in. */
export { fundings } from "./tables.ts";
