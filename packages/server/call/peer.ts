import type { IncomingMessage } from "node:http";

/** Who holds the other end of the connection; the same from either listener. */
export interface Peer {
  /** SHA-256 of the client's certificate (DER), lower-case hex. */
  readonly certificateHash: string;
  /** The caller's IP address, as text. */
  readonly address: string;
}

/** Read from a request who sent it; which ones depends on the listener that it came through. */
export interface CallerReaders {
  readonly readPeer: (incoming: IncomingMessage) => Peer | undefined;
  /** The id that the sidecar gave the request, or undefined when one is to be made here. */
  readonly readRequestId: (incoming: IncomingMessage) => string | undefined;
}
