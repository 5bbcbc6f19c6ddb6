import type { Outcome, Refusal } from "@sabika/protocol";

/** Why an administrative act was refused. */
export type AdminRefusalCode =
  | "invalid_client_id"
  | "invalid_name"
  | "invalid_iban"
  | "invalid_cidr"
  | "invalid_webhook_url"
  | "invalid_csr"
  | "invalid_certificate"
  | "invalid_signing_key"
  | "proof_required"
  | "key_in_use"
  | "invalid_amount"
  | "invalid_recipient"
  | "invalid_setting"
  | "invalid_state"
  | "already_exists"
  | "not_found"
  | "not_permitted"
  | "person_required"
  | "signature_invalid"
  | "wrong_environment"
  | "count_differs"
  | "insufficient_vault"
  | "refiner_unlisted"
  | "insufficient_allocation";

/** A refusal that a person can act on: `detail` says what is wrong and holds no secret. */
export interface AdminRefusal extends Refusal<AdminRefusalCode> {
  readonly detail: string;
}

/** The result of an administrative act. */
export type AdminOutcome<T> = Outcome<T, AdminRefusal>;
