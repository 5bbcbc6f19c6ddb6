/** Why an administrative act was refused. Expected refusals are values, not exceptions. */
export type RefusalCode =
  | "invalid_client_id"
  | "invalid_name"
  | "invalid_iban"
  | "invalid_cidr"
  | "invalid_webhook_url"
  | "invalid_csr"
  | "invalid_signing_key"
  | "proof_required"
  | "key_in_use"
  | "invalid_amount"
  | "invalid_setting"
  | "invalid_state"
  | "already_exists"
  | "not_found"
  | "wrong_environment"
  | "insufficient_vault"
  | "insufficient_allocation";

/** A refusal that a person can act on: the message says what is wrong and holds no secret. */
export interface Refused {
  ok: false;
  code: RefusalCode;
  message: string;
}

/** The result of an administrative act. */
export type Done<T> = { ok: true; value: T } | Refused;

/** Makes a refusal. */
export function refused(code: RefusalCode, message: string): Refused {
  return { ok: false, code, message };
}

/** Makes a success. */
export function done<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}
