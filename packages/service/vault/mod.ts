/** Bars, and what of them is allocated to partners. */
export { addBar, type BarInVault, changeVault, listBars, removeBar } from "./bars.ts";
export { readVaultReport, type VaultReport } from "./report.ts";
