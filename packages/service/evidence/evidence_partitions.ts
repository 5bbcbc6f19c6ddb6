import type { Sql } from "@sabika/database";

/** Makes the partitions of this month and the next, so that no order waits for one. */
export async function makeEvidencePartitions(sql: Sql): Promise<void> {
  await sql`select make_evidence_partitions()`;
}
