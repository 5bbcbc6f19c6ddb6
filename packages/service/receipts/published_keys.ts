import type { ReceiptKey } from "@sabika/protocol";
import type { Database, Sql } from "@sabika/database";

/** Reads published keys. */
export type PublishedKeys<KEY extends ReceiptKey = ReceiptKey> = () => Promise<readonly KEY[]>;

/** Keys are read again after so long: whoever asks often does not ask the database. */
const FRESH_MS = 5_000;

/**
 * Makes a reader of published keys, from control (Decisions D103, D106). `now` is epoch milliseconds; `read` reads
 * them from the database.
 */
export function createPublishedKeys<KEY extends ReceiptKey>(
  { database, now }: { database: Pick<Database, "sql">; now: () => number },
  read: (sql: Sql) => Promise<readonly KEY[]>,
): PublishedKeys<KEY> {
  let last: { atMs: number; keys: Promise<readonly KEY[]> } | undefined;
  return () => {
    const nowMs = now();
    if (last === undefined || nowMs - last.atMs >= FRESH_MS || nowMs < last.atMs) {
      const next = { atMs: nowMs, keys: read(database.sql) };
      last = next;
      next.keys.catch(() => last === next && (last = undefined));
    }
    return last.keys;
  };
}
