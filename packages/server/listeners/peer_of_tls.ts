import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { normaliseCertificateHash } from "@sabika/protocol";
import type { Peer } from "../call/peer.ts";

// A connection keeps its certificate to its end (there is no renegotiation).
const peers = new WeakMap<object, Peer>();

/** The caller on a connection whose TLS ends here; undefined without a client certificate. */
export function peerOfTls(incoming: IncomingMessage): Peer | undefined {
  const socket = incoming.socket as TLSSocket;
  let peer = peers.get(socket);
  if (peer === undefined) {
    const certificateHash = normaliseCertificateHash(
      socket.getPeerCertificate().fingerprint256 ?? "",
    );
    if (certificateHash === undefined || socket.remoteAddress === undefined) return undefined;
    peer = { certificateHash, address: socket.remoteAddress };
    peers.set(socket, peer);
  }
  return peer;
}
