/** What the sandbox's failures on demand need of the database (Decision D55). */
export { readAllocation } from "./read_allocation.ts";
