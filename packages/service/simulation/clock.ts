import type { Sql } from "@sabika/database";

/** Reads by how many milliseconds the clock of a sandbox was set forward. */
export async function readClockAhead(sql: Sql): Promise<number> {
  const [row] = await sql<{ aheadMs: number }[]>`
    select clock_ahead_ms::float8 as "aheadMs" from scenario`;
  return row?.aheadMs ?? 0;
}

/** Sets the clock of a sandbox forward; false if it would be another partner's too. */
export async function advanceClock(sql: Sql, partnerId: number, toMs: number): Promise<boolean> {
  const [row] = await sql<{ done: boolean }[]>`
    select simulate_clock(${partnerId}::integer, ${toMs}::bigint) as done`;
  return row!.done;
}
