/**
 * The sidecar's limits, with the values that it has when nothing else is said.
 *
 * The times fit into one another: a request that is not here after `requestSeconds` was never
 * handed on (the body is buffered), the service has `answerSeconds` from there, and no limit of
 * the whole stream ends one of the two early: so 408 always means "not carried out".
 */
export const DEFAULT_LIMITS = {
  /** Of the body: BODY_LIMIT_BYTES of the protocol. */
  bodyBytes: 65_536,
  /** Of all request headers together. */
  headersKilobytes: 16,
  headersCount: 64,
  /** From all callers together, over which new ones are closed at once. */
  connections: 8_000,
  /** From one partner's registered addresses; of these, new ones a second (each costs a handshake). */
  partnerConnections: 256,
  partnerConnectionsPerSecond: 256,
  /** From all addresses that nobody registered. */
  strangerConnections: 256,
  strangerConnectionsPerSecond: 64,
  /** Partners' own filter chains (about 0.1 MB each); more partners share them by turns. */
  partnerChains: 512,
  /** To all instances together; requests beyond them wait in the sidecar, then 503. */
  upstreamConnections: 128,
  upstreamWaiting: 1_024,
  /** Like `upstreamConnections`, but for event streams, each of which has a connection to itself. */
  upstreamStreams: 4_000,
  heapMegabytes: 512,
  /** Until TLS is done; for strangers it is shorter. */
  handshakeSeconds: 5,
  strangerHandshakeSeconds: 3,
  /** Until all headers are here, from their first byte. */
  headersSeconds: 10,
  /** Until the whole request is here. */
  requestSeconds: 15,
  /** Until the service has answered. */
  answerSeconds: 20,
  /** Of a stream of events without anything on it; the service sends a heartbeat every 15 s. */
  streamIdleSeconds: 60,
  /** Of a kept connection with nothing on it. */
  idleSeconds: 120,
  /** Of a connection in all: its next answer after that says Connection: close. */
  connectionSeconds: 600,
  requestsPerConnection: 10_000,
  /** Of a kept connection to the service: well below the service's own 75 s (Node closes a second late). */
  upstreamIdleSeconds: 60,
  connectSeconds: 1,
  /** Between two looks at an instance's readiness. */
  healthSeconds: 0.5,
  /** For one certificate: a bucket of `burst`, filled with so many a second. */
  requestsPerSecond: 2_000,
  burst: 4_000,
  /** For all of a filter chain together. */
  totalRequestsPerSecond: 20_000,
  totalBurst: 40_000,
};

export type Limits = typeof DEFAULT_LIMITS;
