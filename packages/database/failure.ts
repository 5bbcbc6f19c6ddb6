/**
 * The meaning of a failed statement for its caller:
 * - `again`: nothing was done, and another try may succeed (serialisation, deadlock);
 * - `held`: nothing was done, because another transaction holds a lock for too long;
 * - `away`: nothing was done, the database cannot be reached or does not take writes now;
 * - `lost`: the connection broke, and whether it was done is not known;
 * - `fatal`: trying again would fail again.
 */
export type Failure = "again" | "held" | "away" | "lost" | "fatal";

const AGAIN = new Set(["40001", "40P01"]);
/**
 * Starting up, shutting down, too many connections, read-only, no space, out of memory; and an error
 * of the machine below: a file or a library that cannot be read.
 */
const AWAY = new Set([
  "58000",
  "58030",
  "58P01",
  "57P03",
  "53300",
  "53100",
  "53200",
  "25006",
  "CONNECT_TIMEOUT",
  "DATABASE_TLS",
  "DATABASE_NO_PRIMARY",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "EACCES",
  "CONNECTION_ENDED",
  "SESSION_OVER",
  "CELL_AWAY",
]);
/**
 * The error code of a commit that is on the primary's disk only, since its wait for the standby was
 * cancelled. A retry would find it done and, with nothing to write, would not wait for the standby either.
 */
export const NOT_REPLICATED = "NOT_REPLICATED";

const LOST = new Set([
  NOT_REPLICATED,
  "57P01",
  "57P02",
  "57014",
  "08000",
  "08003",
  "08006",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "DATABASE_MOVED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ECONNABORTED",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Whether an error says that a commit is done, but may be lost by a promotion. */
export function isNotReplicated(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === NOT_REPLICATED;
}

/** Classifies an error of postgres.js by its `code`; any other error is `fatal`. */
export function classifyFailure(error: unknown): Failure {
  const code = typeof error === "object" && error !== null && "code" in error
    ? String(error.code)
    : "";
  if (AGAIN.has(code)) return "again";
  if (code === "55P03") return "held";
  if (AWAY.has(code)) return "away";
  if (LOST.has(code)) return "lost";
  return "fatal";
}
