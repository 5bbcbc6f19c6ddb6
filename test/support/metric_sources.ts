/** Constant values for the metrics of a process, for tests of metrics from the database. */
export const SOURCES = {
  queueDepth: () => 0,
  priceAgeSeconds: () => 1,
  isRegisterFresh: () => true,
  controlAway: () => undefined,
  now: () => 0,
  clockOffsetSeconds: () => 0,
  residentMemoryBytes: () => 1,
  lostLogLines: () => 0,
  isReady: () => true,
  failedShares: () => [{ cellId: "main", kind: "order", share: 0.25 } as const],
  eventStreams: () => 0,
  standbys: () => [["main", { lagMs: () => 500, reads: { standby: 3, primary: 1 } }] as const],
} as const;
