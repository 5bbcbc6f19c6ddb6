/** The physical gold and how much of it is allocated (Decision D39). */
export { allocate, readVaultReport, release } from "./allocations.ts";
export { addBar, listBars, removeBar } from "./bars.ts";
