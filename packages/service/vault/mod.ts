/** Bars, and what of them is allocated to partners. */
export { addBar, changeVault, listBars, removeBar } from "./bars.ts";
export { readVaultReport, type VaultReport } from "./report.ts";
