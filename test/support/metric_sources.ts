/** Constant values for the metrics of a process, for tests of metrics from the database. */
export const SOURCES = {
  queueDepth: () => 0,
  priceAgeSeconds: () => 1,
  isRegisterFresh: () => true,
  clockOffsetSeconds: () => 0,
  residentMemoryBytes: () => 1,
  lostLogLines: () => 0,
  isReady: () => true,
  eventStreams: () => 0,
} as const;
