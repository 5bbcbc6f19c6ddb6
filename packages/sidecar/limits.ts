import { BODY_LIMIT_BYTES } from "@sabika/protocol";

/**
 * The sidecar's limits, with their defaults.
 *
 * The time limits fit together: a request that has not arrived after `requestSeconds` was never
 * forwarded (the body is buffered), the service then has `answerSeconds`, and no limit of the
 * whole stream ends either of these early. So 408 always means "not carried out".
 */
export const DEFAULT_LIMITS = {
  /** The size of the body. */
  bodyBytes: BODY_LIMIT_BYTES,
  /** The size of all request headers together. */
  headersKilobytes: 16,
  headersCount: 64,
  /** Connections from all callers together; above this, new ones are closed at once. */
  connections: 8_000,
  /** Connections from one partner's registered addresses, and new ones per second. */
  partnerConnections: 256,
  partnerConnectionsPerSecond: 256,
  /** Connections from all addresses that nobody registered, and new ones per second. */
  strangerConnections: 256,
  strangerConnectionsPerSecond: 64,
  /** Filter chains for partners (about 0.1 MB each); if there are more partners, several share one. */
  partnerChains: 512,
  /** Connections to all instances together, and requests that wait for one; further requests get 503. */
  upstreamConnections: 128,
  upstreamWaiting: 1_024,
  /** Like `upstreamConnections`, but for reads, whose answers may be long and be taken slowly. */
  upstreamReads: 128,
  /** Like `upstreamConnections`, but for event streams, each of which has a connection to itself. */
  upstreamStreams: 4_000,
  heapMegabytes: 512,
  /** The time for the TLS handshake; strangers have less. */
  handshakeSeconds: 5,
  strangerHandshakeSeconds: 3,
  /** The time from the first byte of the headers to the last. */
  headersSeconds: 10,
  /** The time until the whole request has arrived. */
  requestSeconds: 15,
  /** The time until the service has answered. */
  answerSeconds: 20,
  /** How long an event stream may be silent; the service sends a heartbeat every 15 s. */
  streamIdleSeconds: 60,
  /** How long a connection may stay open without a request. */
  idleSeconds: 120,
  /** The age after which a connection's next answer says `Connection: close`. */
  connectionSeconds: 600,
  requestsPerConnection: 10_000,
  /** How long a connection to the service may be idle: well below the service's own 75 s. */
  upstreamIdleSeconds: 60,
  connectSeconds: 1,
  /** The time between two checks of an instance's readiness. */
  healthSeconds: 0.5,
  /** For one certificate: requests per second, and the size of the token bucket. */
  requestsPerSecond: 2_000,
  burst: 4_000,
  /** For all requests of one filter chain together. */
  totalRequestsPerSecond: 20_000,
  totalBurst: 40_000,
};

/** The sidecar's limits, by name. */
export type Limits = typeof DEFAULT_LIMITS;
