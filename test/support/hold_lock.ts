import type { Database, Transaction } from "@sabika/database";

/**
 * Opens a transaction that takes locks and holds them.
 *
 * @param take the statement that takes the locks
 * @returns a function that releases them, once they are taken; further calls do nothing
 */
export async function holdLock(
  { sql }: Database,
  take: (sql: Transaction) => Promise<unknown>,
): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  let ended = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = sql.begin(async (sql) => {
      await take(sql);
      resolve();
      await released;
    });
    ended.catch(reject);
  });
  return () => {
    release();
    return ended;
  };
}
