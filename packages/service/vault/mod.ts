/** Bars, and what of them is allocated to partners. */
export {
  addBar,
  type BarInVault,
  changeVault,
  HEAVIEST_MICROGRAMS,
  isSerial,
  LEAST_FINENESS_TEN_THOUSANDTHS,
  listBars,
  removeBar,
} from "./bars.ts";
export { readVaultReport, type VaultReport } from "./report.ts";
