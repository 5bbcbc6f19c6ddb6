/** Why an operation of the register was refused. Expected refusals are values (style.md, 6). */
export type RefusalCode =
  | "invalid_client_id"
  | "invalid_name"
  | "invalid_iban"
  | "invalid_cidr"
  | "invalid_webhook_url"
  | "invalid_csr"
  | "invalid_signing_key"
  | "invalid_amount"
  | "invalid_setting"
  | "invalid_state"
  | "already_exists"
  | "not_found"
  | "wrong_environment"
  | "insufficient_vault"
  | "insufficient_allocation";

/** A refusal that a person can act on: what is wrong, in words, without any secret. */
export interface Refused {
  ok: false;
  code: RefusalCode;
  message: string;
}

/** What an operation of the operator answers. */
export type Done<T> = { ok: true; value: T } | Refused;

/** Makes a refusal. */
export function refused(code: RefusalCode, message: string): Refused {
  return { ok: false, code, message };
}

/** Makes a success. */
export function done<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}
