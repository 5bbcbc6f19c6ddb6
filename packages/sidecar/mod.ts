/**
 * The sidecar: Envoy's configuration from few settings, its secrets and how they are changed,
 * and Envoy itself as a process.
 *
 * @module
 */
export { askAdmin, readStats } from "./ask_admin.ts";
export { checkSet, DEFAULT_RULES, type SetRules } from "./check_set.ts";
export { writeInstances } from "./endpoints.ts";
export { type Firewall, firewallOf } from "./firewall.ts";
export { sidecarFolders } from "./folders.ts";
export { type AddressChange, handAddresses } from "./hand_addresses.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export {
  readRegisteredAddresses,
  type RegisteredPartner,
  storeAddresses,
  storedAddresses,
} from "./registered_addresses.ts";
export { renderWhole } from "./render.ts";
export { rotate, type Rotation } from "./rotate.ts";
export { envoyArguments, runEnvoy, type RunningEnvoy, writeConfiguration } from "./run_envoy.ts";
export { currentSet } from "./sds_folder.ts";
export { readSet, type SecretSet } from "./secret_set.ts";
export {
  completeSettings,
  type Instance,
  readSettings,
  type SettingsInput,
  type SidecarSettings,
} from "./settings.ts";
