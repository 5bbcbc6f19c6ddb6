/** Bars by pool, what of them is allocated to partners, and counts of them. */
export { addAttestationKey, endAttestationKey, readAttestationKeys } from "./attestation_keys.ts";
export { acceptCount } from "./accept_count.ts";
export { listLastCounts, type PoolLastCount } from "./last_counts.ts";
export { findInspection, type Inspection } from "./find_inspection.ts";
export { checkInspection, inspectCount } from "./inspect_count.ts";
export { changeAllocated, isStopped } from "./allocated.ts";
export {
  type Bar,
  type BarInVault,
  findBarSerials,
  HEAVIEST_MICROGRAMS,
  isDocumentHash,
  isLine,
  isPlace,
  isSerial,
  LEAST_FINENESS_TEN_THOUSANDTHS,
  listBars,
  type NewBar,
  searchBars,
  sumFine,
} from "./bars.ts";
export { type BarChange, type BarCounted, type BarWhole, findBar } from "./find_bar.ts";
export { lockVault } from "./lock_vault.ts";
export { addBar, moveBar, removeBar } from "./bar_acts.ts";
export { type Changed, MOST_BARS } from "./change_bars.ts";
export { checkLeavingBars, checkNewBars, type LeavingBar } from "./check_bars.ts";
export { encumberBar, releaseBar } from "./encumber_bar.ts";
export {
  addRefiner,
  endRefiner,
  type ListedRefiner,
  readListsOf,
  readRefiners,
  setUnlistedBars,
  UNLISTED_BARS,
} from "./refiners.ts";
export { addBars, replaceBars } from "./replace_bars.ts";
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
export {
  createPool,
  findPool,
  isPoolId,
  listPools,
  type PoolInForce,
  readPoolOf,
} from "./pools.ts";
export {
  type ListedBar,
  MAIN_POOL,
  makeVersion,
  type PoolVersion,
  readListedBars,
  readVersionInForce,
  writeVersion,
} from "./pool_versions.ts";
export {
  type ChangedBar,
  findVersion,
  listVersions,
  type PoolVersionMade,
  type PoolVersionWhole,
  readVersionText,
} from "./read_versions.ts";
export { createVaultReader, type VaultReader } from "./read_partner_vault.ts";
export { recountVersions } from "./recount_versions.ts";
export { replayVersions } from "./replay_versions.ts";
export { readFreeMicrograms, readVaultReport, type VaultReport } from "./report.ts";
