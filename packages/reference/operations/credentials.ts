import {
  CREDENTIAL_REQUEST,
  REQUESTED_CREDENTIAL,
  REQUESTED_CREDENTIAL_STATUSES,
} from "@sabika/protocol";
import { body, written } from "../contents.ts";
import { EXAMPLES } from "../examples.ts";
import { operation } from "../operation.ts";
import { list, single } from "./reading.ts";

const chapter = "Connecting";

/** Makes a signed request for a new credential (Decision D120). */
function request(path: string, summary: string, description: string) {
  return operation("POST", path, "signedAct", {
    chapter,
    summary,
    description: `${description} Your operator decides on it. At most one may be pending.`,
    request: body(CREDENTIAL_REQUEST, EXAMPLES.credentialRequest),
    replies: written(
      "The request is pending.",
      REQUESTED_CREDENTIAL.shape,
      EXAMPLES.requestedCredential,
    ),
    refusals: ["invalid_csr", "key_in_use", "credential_request_pending"],
  });
}

/** The operations by which a partner changes its certificate and its signing key. */
export const CREDENTIALS = {
  requestCertificate: request(
    "/v1/credentials/certificate",
    "Request a new certificate",
    "It replaces the one that you ask with, and allows what that allows. The old one stays valid " +
      "for the overlap, from when the new one is issued.",
  ),
  requestSigningKey: request(
    "/v1/credentials/signing-key",
    "Request a new signing key",
    "It replaces the key that signs this request, which stays valid for the overlap, from when " +
      "the new one is registered.",
  ),
  listRequestedCredentials: list(
    "/v1/credentials",
    "requested credentials",
    REQUESTED_CREDENTIAL.shape,
    EXAMPLES.requestedCredential,
    { statuses: REQUESTED_CREDENTIAL_STATUSES, chapter },
  ),
  getRequestedCredential: single(
    "/v1/credentials/{id}",
    "requested credential",
    "cr",
    REQUESTED_CREDENTIAL.shape,
    EXAMPLES.requestedCredential,
    { chapter },
  ),
};
