/**
 * What of core needs no database: under a name of its own, for programs that shall not load one, such as
 * the command where it speaks to the office.
 */
export { type PersonsKey, signAct } from "../admin/signed_act.ts";
export { unitOf } from "../ledger/difference_unit.ts";
export { makePersonsKey, readPersonsKey } from "../office/persons_key.ts";
export { MOST_DAYS } from "../oversight/list_days.ts";
export { readClientId } from "../partners/client_id.ts";
export { readIban } from "../partners/iban.ts";
export { type Kit, writeKit } from "../partners/kit.ts";
export { dueWarning } from "../partners/operations/warn_expiring.ts";
export { formatTerm, TERM_ENTRIES, type TermKey, type TermName, type TermOption, type TermUnit } from "../partners/terms.ts";
export { whyNotPrivate, writePrivateFile } from "../partners/private_file.ts";
export { KeyServiceError } from "../partners/secrets/key_service_error.ts";
export { MAIN_CELL } from "../store/cells.ts";
export {
  RATE_CLASSES,
  type RateClass,
  type Role,
  ROLES,
  TOKEN_AUTHS,
  type TokenAuth,
} from "../store/schema/names.ts";
export {
  FEED_DEFAULTS,
  feedSettingsToJson,
  feedUrlForPeople,
  readFeedSettings,
} from "../trading/prices/feed_settings.ts";
