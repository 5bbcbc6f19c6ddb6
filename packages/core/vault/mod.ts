/** The physical gold and how much of it is allocated (Decision D39). */
export { readVaultReport } from "./report.ts";
export { addBar, listBars, removeBar } from "./bars.ts";
