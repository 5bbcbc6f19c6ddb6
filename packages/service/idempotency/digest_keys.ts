import type { Database } from "@sabika/database";

/**
 * Digests the keys of all completed generations (`digest_keys`, Decision D29), so that a look-up need not
 * search each of them. Several instances may do this at once.
 *
 * @returns how many sixteenths of generations it digested
 */
export async function digestKeys({ sql }: Pick<Database, "sql">): Promise<number> {
  for (let parts = 0;; parts++) {
    const [row] = await sql<{ did: boolean }[]>`select digest_keys() as did`;
    if (!row!.did) return parts;
  }
}
