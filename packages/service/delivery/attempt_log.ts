import { plainArray, type Sql, textArray } from "@sabika/database";

/** One attempt to deliver an event, as it is recorded (Decision D54). Times are milliseconds. */
export interface Attempt {
  partnerId: number;
  sequence: bigint;
  atMs: number;
  durationMs: number;
  /** Null without an answer. */
  status: number | null;
  /** Why the event was not accepted, without anything sent or received; null when it was. */
  failure: string | null;
  /** The address and port connected to; null when there was no connection. */
  address: string | null;
}

/** Records the attempts of all lanes. */
export interface AttemptLog {
  add(attempt: Attempt): void;
  /** Resolves once all added attempts are in the database, before cursors advance; rejects if not. */
  written(): Promise<void>;
}

/** The most attempts kept in memory while the database cannot be written. */
const KEPT = 10_000;

/**
 * Creates the log. Attempts added while a statement is running are written together by the next one.
 *
 * @param record writes attempts to the database, in one statement
 */
export function createAttemptLog(
  record: (attempts: readonly Attempt[]) => Promise<void>,
): AttemptLog {
  let waiting: Attempt[] = [];
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function write(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      await record(batch);
    } catch (error) {
      waiting = [...batch, ...waiting].slice(-KEPT);
      throw error;
    }
  }

  return {
    add: (attempt) => void waiting.push(attempt),
    written(): Promise<void> {
      if (waiting.length === 0) return last;
      return next ??= last.catch(() => {}).then(() => {
        next = undefined;
        return last = write();
      });
    },
  };
}

/** Writes attempts to the database in one statement. */
export async function recordAttempts(sql: Sql, attempts: readonly Attempt[]): Promise<void> {
  const numbers = (read: (attempt: Attempt) => number | bigint | null) =>
    plainArray(attempts.map((attempt) => read(attempt) ?? "NULL"));
  await sql`select record_attempts(
    ${numbers(({ partnerId }) => partnerId)}::integer[],
    ${numbers(({ sequence }) => sequence)}::bigint[],
    ${numbers(({ atMs }) => atMs)}::bigint[],
    ${numbers(({ durationMs }) => durationMs)}::integer[],
    ${numbers(({ status }) => status)}::integer[],
    ${textArray(attempts.map(({ failure }) => failure))}::text[],
    ${textArray(attempts.map(({ address }) => address))}::text[])`;
}

/** Creates the coming days' partitions and drops those older than the retention, at least 7 days. */
export async function maintainAttemptPartitions(sql: Sql, retentionDays: number): Promise<void> {
  await sql`select maintain_attempt_partitions(${retentionDays}::integer)`;
}
