import type { Database, Sql } from "@sabika/database";

/**
 * Adds up by hour what the orders of ended hours earned, of each partner at home in this database (Decision D90).
 *
 * @throws the first error, after the partners without one
 */
export async function sumMargins({ sql }: Pick<Database, "sql">): Promise<void> {
  const due = await sql<{ id: number }[]>`
    select partner_id as id from accounts left join margin_marks using (partner_id)
    where summed_until is null or summed_until < now() - interval '70 minutes'`;
  const failures: unknown[] = [];
  for (const { id } of due) await sumPartner(sql, id).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function sumPartner(sql: Sql, id: number): Promise<void> {
  for (let isMore = true; isMore;) {
    const [row] = await sql<{ more: boolean }[]>`select sum_margins(${id}::integer) as more`;
    isMore = row!.more;
  }
}
