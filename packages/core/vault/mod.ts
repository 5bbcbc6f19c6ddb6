/** The physical gold and what of it is promised (Decision D39). */
export { allocate, readVaultReport, release } from "./allocations.ts";
export { addBar, listBars, removeBar } from "./bars.ts";
