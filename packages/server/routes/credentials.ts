import {
  credentialRequestFromJson,
  REQUESTED_CREDENTIAL,
  REQUESTED_CREDENTIAL_STATUSES,
  type RequestedKind,
} from "@sabika/protocol";
import type { CredentialRequests } from "@sabika/service/credentials";
import type { SignedWriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { signedCommandOf } from "./command.ts";
import { listRoute } from "./read_list.ts";
import { readRequest } from "./read_request.ts";
import { resourceRoute } from "./read_resource.ts";
import { type BodyRefusalStore, refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** The routes by which a partner asks for a new certificate or signing key (Decision D120). */
export function credentialRoutes(
  { credentialRequests: requests, trading }: {
    readonly credentialRequests: CredentialRequests;
    readonly trading: BodyRefusalStore;
  },
) {
  /** POST /v1/credentials/certificate and /v1/credentials/signing-key. */
  const asking = (kind: RequestedKind): Route<SignedWriteCall> => async (call) => {
    const read = readRequest(call, credentialRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    const { partner, certificate: { hashHex: certificateHash } } = call;
    const command = { ...signedCommandOf(call, read), partner, kind, certificateHash };
    return written(await requests.request(command), REQUESTED_CREDENTIAL.write);
  };
  return {
    requestCertificate: asking("certificate"),
    requestSigningKey: asking("signing_key"),
    listRequestedCredentials: listRoute(
      requests.list,
      REQUESTED_CREDENTIAL_STATUSES,
      REQUESTED_CREDENTIAL.write,
    ),
    getRequestedCredential: resourceRoute("cr", requests.get, REQUESTED_CREDENTIAL.write),
  };
}
