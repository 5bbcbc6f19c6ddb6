import type { AnySql } from "@sabika/database";

/** Reads the age in seconds of each cell's oldest open act, by the cell's name; none: no entry. */
export async function readOpenActs(sql: AnySql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ cellId: string; age: number }[]>`
    select cell_id as "cellId",
      extract(epoch from clock_timestamp() - min(recorded_at))::float8 as age
    from cell_acts where result is null group by cell_id`;
  return new Map(rows.map(({ cellId, age }) => [cellId, age]));
}
