/** The wire forms of what `/admin/v1` answers, for the office, which writes them, and its clients. */
export { ASKED_CREDENTIAL } from "./credential_forms.ts";
export * from "./office_forms.ts";
export * from "./partner_file_forms.ts";
export * from "./partner_forms.ts";
export { BAR_WHOLE, POOL_VERSION, POOL_VERSION_WHOLE } from "./pool_forms.ts";
export { LISTED_RESERVE } from "./reserve_forms.ts";
export { TRADE_STORY } from "./trade_forms.ts";
export {
  BAR,
  POOL,
  REFINER,
  VAULT,
  VAULT_COUNT,
  VAULT_COUNT_WHOLE,
  VAULT_DIFFERENCE,
} from "./vault_forms.ts";
export { EVENT } from "./values.ts";
