import type { AdminRefusalCode } from "@sabika/terms";
import { type ErrorCode, isErrorCode, STATUS_OF, TITLE_OF } from "@sabika/protocol";

/** The codes that only the office refuses with; acts and the partners' API have other codes. */
type SoleCode =
  | "sign_in_required"
  | "sign_in_failed"
  | "single_sign_on_failed"
  | "single_sign_on_unavailable"
  | "identity_unknown"
  | "cross_origin"
  | "link_invalid"
  | "unbooked";

/** Every code that an answer of the office may have. */
export type OfficeErrorCode = ErrorCode | AdminRefusalCode | SoleCode;

/** Status and title of the codes that the partners' API does not have. */
const STATUS_AND_TITLE: Readonly<
  Record<Exclude<AdminRefusalCode | SoleCode, ErrorCode>, readonly [status: number, title: string]>
> = {
  sign_in_required: [401, "Somebody has to sign in"],
  sign_in_failed: [401, "The passkey was not accepted"],
  single_sign_on_failed: [401, "The provider's answer was not accepted"],
  single_sign_on_unavailable: [503, "The provider does not answer"],
  identity_unknown: [403, "Nobody here is known by that identity"],
  person_required: [401, "An act needs a person"],
  cross_origin: [403, "The request comes from another site"],
  not_permitted: [403, "This person may not do that"],
  link_invalid: [404, "The link is used, too old or unknown"],
  unbooked: [504, "It is recorded, and the partner's cell is still to do it: do not ask again"],
  already_exists: [409, "It is there already"],
  invalid_state: [409, "Its state does not allow that"],
  wrong_environment: [409, "It belongs to another environment"],
  count_differs: [409, "A count found a difference that is open"],
  insufficient_vault: [409, "There is not enough gold in the vault"],
  refiner_unlisted: [409, "The bar's refiner is not on the list that is said, or on none"],
  insufficient_allocation: [409, "There is not enough gold allocated"],
  proof_required: [422, "The key has to be proven"],
  invalid_client_id: [422, "The client id has a wrong form"],
  invalid_name: [422, "The name has a wrong form"],
  invalid_iban: [422, "The IBAN is wrong"],
  invalid_cidr: [422, "The range of addresses is wrong"],
  invalid_webhook_url: [422, "The URL is not one for webhooks"],
  invalid_certificate: [422, "The certificate is wrong"],
  invalid_signing_key: [422, "The key is wrong"],
  invalid_recipient: [422, "The kit's recipient is wrong"],
  invalid_amount: [422, "The amount is wrong"],
  invalid_setting: [422, "An argument is wrong"],
};

/** Returns the HTTP status of a code. */
export function statusOf(code: OfficeErrorCode): number {
  return isErrorCode(code) ? STATUS_OF[code] : STATUS_AND_TITLE[code][0];
}

/** Returns the title of a code, which never varies (RFC 9457 §3.1.3). */
export function titleOf(code: OfficeErrorCode): string {
  return isErrorCode(code) ? TITLE_OF[code] : STATUS_AND_TITLE[code][1];
}
