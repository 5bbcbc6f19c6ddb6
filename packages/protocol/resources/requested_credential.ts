import { type Form, id, INTEGER, nullable, oneOf, STRING, TIME } from "../form.ts";
import type { Id } from "../ids.ts";
import { member, record, wrapped } from "../record_form.ts";
import { OVERLAP_SECONDS, TEXT } from "../request_fields.ts";
import { nullOr, type RequestForm, requestForm, required } from "../request_form.ts";

/** The kinds of credentials that a partner asks for by the API (Decision D120). */
export const REQUESTED_KINDS = ["certificate", "signing_key"] as const;
/** One of {@link REQUESTED_KINDS}. */
export type RequestedKind = (typeof REQUESTED_KINDS)[number];

/** The states of a request for a credential. */
export const REQUESTED_CREDENTIAL_STATUSES = ["pending", "issued", "refused"] as const;
/** One of {@link REQUESTED_CREDENTIAL_STATUSES}. */
export type RequestedCredentialStatus = (typeof REQUESTED_CREDENTIAL_STATUSES)[number];

/** A partner's request for a new certificate or signing key (Decision D120). */
export interface RequestedCredential {
  /** Its id. */
  readonly id: Id<"cr">;
  /** What it asks for. */
  readonly kind: RequestedKind;
  /** Its state. */
  readonly status: RequestedCredentialStatus;
  /** The RFC 7638 thumbprint of the public key in the signing request. */
  readonly keyId: string;
  /** The credential that ends in its favour: the certificate's SHA-256 in hex, or the key id. */
  readonly replaces: string;
  /** How long that one is to stay valid beside the new one. */
  readonly overlapSeconds: number;
  /** When it was received. */
  readonly createdAtMs: number;
  /** When it was issued or refused; null until then. */
  readonly decidedAtMs: number | null;
  /** When the one that it replaces ends; null unless it was issued. */
  readonly replacedEndsAtMs: number | null;
  /** The new certificate and its issuer's, PEM; null unless it is an issued certificate. */
  readonly certificate: string | null;
  /** Why it was refused, for people; null unless it was. */
  readonly refusalReason: string | null;
}

/** The body of POST /v1/credentials/certificate and POST /v1/credentials/signing-key. */
export interface CredentialRequest {
  /** A certificate signing request (PKCS #10), PEM. */
  readonly csr: string;
  /** How long the old credential is to stay valid beside the new one; null: a week. */
  readonly overlapSeconds: number | null;
}

/** The form of a request for a credential. */
export const REQUESTED_CREDENTIAL: Form<RequestedCredential> = record<RequestedCredential>(
  "requested credential",
  {
    id: member("id", id("cr")),
    kind: member("kind", oneOf(REQUESTED_KINDS), "What you asked for."),
    status: member("status", oneOf(REQUESTED_CREDENTIAL_STATUSES), "Your operator decides on it."),
    keyId: member("key_id", STRING, "The RFC 7638 thumbprint of the key in your signing request."),
    replaces: member(
      "replaces",
      STRING,
      "What ends in its favour: the SHA-256 of the certificate that you asked with, or the id of " +
        "the key that signed.",
    ),
    overlapSeconds: member("overlap_seconds", INTEGER, "How long that one is to stay valid."),
    createdAtMs: member("created_at", TIME, "When it was requested."),
    decidedAtMs: member("decided_at", nullable(TIME), "When it was issued or refused."),
    replacedEndsAtMs: member(
      "replaced_ends_at",
      nullable(TIME),
      "When the one that it replaces ends.",
    ),
    certificate: member(
      "certificate",
      nullable(STRING),
      "Your new certificate and its issuer's, PEM: the new `client.crt`.",
    ),
    refusalReason: member(
      "refusal",
      nullable(wrapped("reason", STRING)),
      "Why it was refused, for people.",
    ),
  },
);

/** The form of the body of POST /v1/credentials/certificate and POST /v1/credentials/signing-key. */
export const CREDENTIAL_REQUEST: RequestForm<CredentialRequest> = requestForm<CredentialRequest>(
  "CredentialRequest",
  {
    csr: required(
      "csr",
      TEXT,
      "A certificate signing request made with the new key (PKCS #10, PEM): P-256, your client " +
        "id as common name, and one organisation.",
    ),
    overlapSeconds: nullOr(
      "overlap_seconds",
      OVERLAP_SECONDS,
      "How long the old one is to stay valid beside the new one; a week if left out.",
    ),
  },
);
/** Writes the body of a request for a credential. */
export const credentialRequestToJson: RequestForm<CredentialRequest>["write"] =
  CREDENTIAL_REQUEST.write;
/** Reads the body of a request for a credential. */
export const credentialRequestFromJson: RequestForm<CredentialRequest>["parse"] =
  CREDENTIAL_REQUEST.parse;
