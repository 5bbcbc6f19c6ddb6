/** The parts of the service that need no database, for programs that load no driver. */
export { MAIN_CELL } from "./cells/cells.ts";
export { unitOf } from "./ledger/difference_unit.ts";
export { dueWarning } from "./partners/warn_expiring.ts";
export {
  FEED_DEFAULTS,
  feedSettingsToJson,
  feedUrlForPeople,
  readFeedSettings,
} from "./prices/feed_settings.ts";
