import type { IncomingMessage } from "node:http";

/** The caller at the other end of the connection, in the same form from either listener. */
export interface Peer {
  /** SHA-256 of the client's certificate (DER), lower-case hex. */
  readonly certificateHash: string;
  /** The caller's IP address, as text. */
  readonly address: string;
}

/** Functions that read from a request who sent it; they depend on the listener. */
export interface CallerReaders {
  /** Undefined unless the request came with a client certificate. */
  readonly readPeer: (incoming: IncomingMessage) => Peer | undefined;
  /** The id that the sidecar gave the request; undefined when an id is to be made here. */
  readonly readRequestId: (incoming: IncomingMessage) => string | undefined;
}
