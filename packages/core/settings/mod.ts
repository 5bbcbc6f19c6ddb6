/** What can be set by environment variables: one table, for the programs that read them and for docs/settings.md. */
export type { Setting, SettingReader } from "./setting.ts";
export {
  readOptionalFile,
  readSetting,
  requireFile,
  requireSetting,
  type SettingName,
} from "./read.ts";
export { SETTINGS } from "./table.ts";
export { type Address, type Env, SettingsError } from "./value.ts";
export { VERSION } from "./version.ts";
export { whyUnknown } from "./unknown.ts";
