import type { ReceiptKey } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";

/** Reads the published keys of receipts. */
export type PublishedKeys = () => Promise<readonly ReceiptKey[]>;

/** Keys are read again after so long: whoever asks often does not ask the database. */
const FRESH_MS = 5_000;

/** Reads the keys that receipts are verified with (Decision D103), from control. `now` is epoch milliseconds. */
export function createPublishedKeys(
  { database, now }: { database: Pick<Database, "sql">; now: () => number },
): PublishedKeys {
  let last: { atMs: number; keys: Promise<readonly ReceiptKey[]> } | undefined;
  return () => {
    const nowMs = now();
    if (last === undefined || nowMs - last.atMs >= FRESH_MS || nowMs < last.atMs) {
      const read = { atMs: nowMs, keys: readReceiptKeys(database.sql) };
      last = read;
      read.keys.catch(() => last === read && (last = undefined));
    }
    return last.keys;
  };
}
