import { plainArray, type Sql, textArray } from "@sabika/database";

/** One attempt to deliver an event, as it is kept (Decision D54). */
export interface Attempt {
  partnerId: number;
  sequence: bigint;
  atMs: number;
  durationMs: number;
  /** Null without an answer. */
  status: number | null;
  /** Why it was not taken, short and without anything sent or received; null when it was. */
  failure: string | null;
  /** The address and port connected to; null when there was no connection. */
  address: string | null;
}

/** Keeps the attempts of all lanes. */
export interface AttemptLog {
  add(attempt: Attempt): void;
  /** Resolves when all that were added are in the database. No cursor passes an event before that. */
  written(): Promise<void>;
}

/** Attempts kept in memory while the database cannot take them. */
const KEPT = 10_000;

/**
 * Makes the log. All attempts that come while a statement is away go together in the next one.
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
    if (batch.length === 0) return;
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
      if (waiting.length === 0 && next === undefined) return last;
      return next ??= last.catch(() => {}).then(() => {
        next = undefined;
        return last = write();
      });
    },
  };
}

/** Writes attempts down. */
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

/** Makes the partitions of the attempts ahead, and drops those whose every attempt is older. */
export async function maintainAttemptPartitions(sql: Sql, retentionDays: number): Promise<void> {
  await sql`select maintain_attempt_partitions(${retentionDays}::integer)`;
}
