/** The physical gold and what of it is promised (Decision D39). */
export {
  allocate,
  type Allocation,
  readVaultReport,
  release,
  type VaultReport,
} from "./allocations.ts";
export { addBar, type Bar, listBars, removeBar } from "./bars.ts";
