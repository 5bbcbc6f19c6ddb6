import type { IdempotentOutcome, RequestedCredential } from "@sabika/protocol";
import type { Listing, ListQuery } from "../lists/list_query.ts";
import { getRequestedCredential, listRequestedCredentials } from "./read_requested.ts";
import {
  type CredentialCommand,
  requestCredential,
  type RequestingParts,
} from "./request_credential.ts";

/** What partners do with their requests for credentials (Decision D120). Ids are the UUIDs inside the wire ids. */
export interface CredentialRequests {
  request(command: CredentialCommand): Promise<IdempotentOutcome<RequestedCredential>>;
  /** Another partner's is undefined like an unknown one. */
  get(query: { partnerId: number; credentialId: string }): Promise<RequestedCredential | undefined>;
  list(query: ListQuery): Promise<Listing<RequestedCredential>>;
}

/** Creates them on control's database. */
export function createCredentialRequests(parts: RequestingParts): CredentialRequests {
  const { reading } = parts;
  return {
    request: (command) => requestCredential(parts, command),
    get: (query) => getRequestedCredential(reading, query),
    list: (query) => listRequestedCredentials(reading, query),
  };
}
