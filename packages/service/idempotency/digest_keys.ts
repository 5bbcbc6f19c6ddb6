import type { Database } from "@sabika/database";

/**
 * Digests the keys of complete generations (`digest_keys`, Decision D29), so that a look-up need not search
 * each of them, until all are digested. Ends at once while another instance is digesting.
 *
 * @returns how many sixteenths of generations it digested
 */
export async function digestKeys({ sql }: Pick<Database, "sql">): Promise<number> {
  for (let parts = 0;; parts++) {
    const [row] = await sql<{ isDigested: boolean }[]>`
      select digest_keys() as "isDigested"`;
    if (!row!.isDigested) return parts;
  }
}
