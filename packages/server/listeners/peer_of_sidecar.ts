import type { IncomingMessage } from "node:http";
import { readForwardedCertificateHash } from "@sabika/protocol";
import { UUID } from "@sabika/terms";
import { isIP } from "node:net";
import type { Peer } from "../call/peer.ts";

/**
 * Reads the caller that the sidecar reports. The report only counts with the sidecar's secret; without it
 * there is no caller, whatever the other headers say (F59).
 *
 * @param knowsSecret compares in constant time with the secrets that are valid now
 */
export function peerOfSidecar(knowsSecret: (secret: string) => boolean) {
  return (incoming: IncomingMessage): Peer | undefined => {
    const secret = incoming.headers["x-sabika-edge"];
    const forwarded = incoming.headers["x-forwarded-client-cert"];
    const address = incoming.headers["x-sabika-peer-address"];
    if (
      typeof secret !== "string" || typeof forwarded !== "string" || typeof address !== "string" ||
      !knowsSecret(secret)
    ) return undefined;
    const certificateHash = readForwardedCertificateHash(forwarded);
    return certificateHash === undefined || isIP(address) === 0
      ? undefined
      : { certificateHash, address };
  };
}

/** The id that the sidecar gave a request, so that both logs use it; undefined unless it is a UUID. */
export function requestIdOfSidecar(incoming: IncomingMessage): string | undefined {
  const id = incoming.headers["x-request-id"];
  return typeof id === "string" && UUID.test(id) ? `req_${id}` : undefined;
}
