/** The environment variables, in one table, and the refusal of those that nobody reads. */
export {
  readOptionalFile,
  readSetting,
  requireFile,
  requireSetting,
  type SettingName,
} from "./read.ts";
export type { Setting, SettingReader } from "./setting.ts";
export { SETTINGS } from "./table.ts";
export { whyUnknown } from "./unknown.ts";
export { type Address, type Env, SettingsError } from "./value.ts";
export { VERSION } from "./version.ts";
