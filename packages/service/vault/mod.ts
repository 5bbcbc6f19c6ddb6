/** Bars, what of them is allocated to partners, and counts of them. */
export {
  addBar,
  type BarInVault,
  changeVault,
  HEAVIEST_MICROGRAMS,
  isDocumentReference,
  isPlace,
  isSerial,
  LEAST_FINENESS_TEN_THOUSANDTHS,
  listBars,
  moveBar,
  removeBar,
} from "./bars.ts";
export { compareCount, type CountLine, fineFound, recordCount, type Seen } from "./counts.ts";
export {
  findCount,
  listCounts,
  listOpenDifferences,
  listPlaces,
  type OpenDifference,
  type VaultCount,
  type VaultCountWhole,
} from "./read_counts.ts";
export { readFreeMicrograms, readVaultReport, type VaultReport } from "./report.ts";
